import type { Redis } from 'ioredis';
import { Gauge, type Registry } from 'prom-client';
import { switchNames, type Switches } from '../modules/settings/index.ts';
import type { Connections } from '../platform/db/index.ts';

interface ProcessGaugesOptions {
  readonly registry: Registry;
  readonly connections: Pick<Connections, 'pools'>;
  readonly redis: Redis;
  readonly switches: Pick<Switches, 'isOn'>;
  /** The version and the commit that this process was built from. */
  readonly build: { readonly version: string; readonly commit: string };
}

/** Returns the length of a queue of the client. The queue is missing in the client's types. */
const lengthOf = (redis: Redis, queue: 'commandQueue' | 'offlineQueue'): number => {
  const entries: unknown = Reflect.get(redis, queue);
  const length: unknown =
    typeof entries === 'object' && entries !== null ? Reflect.get(entries, 'length') : 0;
  return typeof length === 'number' ? length : 0;
};

const observePools = ({ registry, connections }: ProcessGaugesOptions): void => {
  const registers = [registry];
  const labelNames = ['pool'] as const;
  const pools = new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of a pool: open ones, and those in use.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { name: pool, open, idle } of connections.pools()) {
        this.set({ pool, state: 'open' }, open);
        this.set({ pool, state: 'in_use' }, open - idle);
      }
    },
  });
  const waiting = new Gauge({
    name: 'database_pool_waiting',
    help: 'Statements and transactions that wait for a connection of a pool.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name: pool, waiting: count } of connections.pools()) this.set({ pool }, count);
    },
  });
  const sizes = new Gauge({
    name: 'database_pool_size',
    help: 'The most connections of a pool.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name: pool, size } of connections.pools()) this.set({ pool }, size);
    },
  });
  void [pools, waiting, sizes];
};

const observeRedis = ({ registry, redis }: ProcessGaugesOptions): void => {
  const registers = [registry];
  void new Gauge({
    name: 'redis_ready',
    help: '1 while the cache answers, else 0.',
    registers,
    collect() {
      this.set(redis.status === 'ready' ? 1 : 0);
    },
  });
  void new Gauge({
    name: 'redis_commands_waiting',
    help: 'Commands to the cache that wait to be sent or answered.',
    registers,
    collect() {
      this.set(lengthOf(redis, 'commandQueue') + lengthOf(redis, 'offlineQueue'));
    },
  });
};

/** Publishes gauges of this replica's build, connections and switches. */
export const createProcessGauges = (options: ProcessGaugesOptions): void => {
  const { registry, switches, build } = options;
  const registers = [registry];
  observePools(options);
  observeRedis(options);
  void new Gauge({
    name: 'switch_on',
    help: '1 while this replica reads a switch as on, else 0.',
    labelNames: ['switch'],
    registers,
    async collect() {
      for (const name of switchNames.filter((known) => known.endsWith('_ENABLED'))) {
        this.set({ switch: name }, (await switches.isOn(name)) ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'build_info',
    help: 'Always 1. The labels describe the build that this replica runs.',
    labelNames: ['version', 'commit', 'node'],
    registers,
  }).set({ ...build, node: process.version }, 1);
};
