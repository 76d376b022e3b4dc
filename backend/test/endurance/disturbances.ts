import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Draw } from './customers.ts';
import type { Ground } from './ground.ts';
import type { Supervisor } from './supervisor.ts';
import type { Toxiproxy } from './toxiproxy.ts';

/** A fault that can be caused and ended. */
export interface Disturbance {
  readonly name: string;
  /** Causes the fault, and returns a function that ends it. */
  readonly begin: () => Promise<() => Promise<void>>;
}

interface Scene {
  readonly ground: Ground;
  readonly supervisor: Supervisor;
  readonly proxies: Toxiproxy;
  /** Names of the proxies before the stores, and before the collaborators. */
  readonly stores: readonly string[];
  readonly collaborators: readonly string[];
}

const nothing = async (): Promise<void> => {};
const both = ['upstream', 'downstream'] as const;

const ofProcesses = ({ supervisor }: Scene): Disturbance[] =>
  supervisor.names.flatMap((name) => {
    if (name === 'sandbox') return [];
    return [
      {
        name: `SIGKILL ${name}`,
        async begin() {
          supervisor.signal(name, 'SIGKILL');
          return nothing;
        },
      },
      {
        name: `SIGSTOP ${name}`,
        async begin() {
          supervisor.signal(name, 'SIGSTOP');
          return async () => void supervisor.signal(name, 'SIGCONT');
        },
      },
      {
        name: `SIGTERM ${name}`,
        async begin() {
          supervisor.signal(name, 'SIGTERM');
          return nothing;
        },
      },
    ];
  });

const ofPostgres = ({ ground }: Scene): Disturbance[] => [
  {
    name: 'PostgreSQL restarts',
    async begin() {
      await ground.restartPostgres('restart');
      return nothing;
    },
  },
  {
    name: 'PostgreSQL crashes',
    async begin() {
      await ground.restartPostgres('crash');
      return nothing;
    },
  },
  {
    name: 'PostgreSQL drops all connections',
    async begin() {
      await ground.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'dgs_app'`,
      );
      return nothing;
    },
  },
];

const ofRedis = ({ ground }: Scene): Disturbance[] => [
  {
    name: 'Redis restarts',
    async begin() {
      await ground.stopRedis();
      return () => ground.startRedis();
    },
  },
  {
    name: 'Redis is flushed',
    async begin() {
      await ground.redis('FLUSHALL');
      return nothing;
    },
  },
  {
    name: 'Redis becomes a replica',
    async begin() {
      await ground.redis('REPLICAOF', '127.0.0.1', 1);
      return async () => void (await ground.redis('REPLICAOF', 'NO', 'ONE'));
    },
  },
];

const ofNetwork = (
  { proxies }: Scene,
  name: string,
  { latency }: { readonly latency: number },
): Disturbance[] => {
  const heal = () => proxies.heal();
  return [
    {
      name: `${name}: cut`,
      async begin() {
        await proxies.cut(name);
        return heal;
      },
    },
    {
      name: `${name}: slow`,
      async begin() {
        await proxies.poison(name, { type: 'latency', attributes: { latency } }, ['downstream']);
        return heal;
      },
    },
    {
      name: `${name}: half closed, no answer comes back`,
      async begin() {
        await proxies.poison(name, { type: 'timeout', attributes: { timeout: 0 } }, ['downstream']);
        return heal;
      },
    },
    {
      name: `${name}: black hole`,
      async begin() {
        await proxies.poison(name, { type: 'timeout', attributes: { timeout: 0 } }, both);
        return heal;
      },
    },
    {
      name: `${name}: reset in the middle`,
      async begin() {
        const toxic = { type: 'reset_peer', attributes: { timeout: 30 } } as const;
        await proxies.poison(name, toxic, ['downstream']);
        return heal;
      },
    },
  ];
};

/** Lists all faults, by their kind. */
export const listDisturbances = (scene: Scene): readonly (readonly Disturbance[])[] => [
  ofProcesses(scene),
  ofPostgres(scene),
  ofRedis(scene),
  scene.stores.flatMap((name) => ofNetwork(scene, name, { latency: 200 })),
  scene.collaborators.flatMap((name) => ofNetwork(scene, name, { latency: 2000 })),
];

interface DisturbOptions {
  readonly kinds: readonly (readonly Disturbance[])[];
  readonly draw: Draw;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

const pick = <T>(draw: Draw, values: readonly T[]): T => {
  const value = values[Math.floor(draw() * values.length)];
  if (value === undefined) throw new Error('there is nothing to pick');
  return value;
};

/**
 * Causes one fault after another until the signal, each for up to eight seconds, with a pause
 * between them. All kinds are equally likely. Returns the count of each fault.
 */
export const disturb = async (options: DisturbOptions): Promise<Record<string, number>> => {
  const { kinds, draw, timers, signal, log } = options;
  const counts: Record<string, number> = {};
  while (!signal.aborted) {
    const { name, begin } = pick(draw, pick(draw, kinds));
    counts[name] = (counts[name] ?? 0) + 1;
    log(name);
    const end = await begin();
    await timers.sleep(500 + draw() * 7500, signal);
    await end();
    await timers.sleep(500 + draw() * 3500, signal);
  }
  return counts;
};
