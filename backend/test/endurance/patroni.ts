import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type QueryResult } from 'pg';
import { z } from 'zod';
import { stopProcess } from '../../dev/stack/process-control.ts';
import { runOrThrow } from '../../dev/stack/run-command.ts';
import type { ServerUser } from '../../dev/stack/server-user.ts';
import { startServer, waitUntilReady } from '../../dev/stack/start-server.ts';
import { adminOf, createServerFolder, missingOf, postgresPrograms } from './own-servers.ts';
import {
  haproxyText,
  nodeNames,
  patroniText,
  portsOfCluster,
  type ClusterPorts,
  type NodeName,
} from './patroni-files.ts';
import type { Toxiproxy } from './toxiproxy.ts';

/** Programs that must be installed, by the name of the Debian package. */
const programs = {
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  'postgresql-15': join(postgresPrograms, 'postgres'),
} as const;

/** Lists the missing packages of a cluster. */
export const missingPackages = (): string[] => missingOf(programs);

const memberSchema = z.object({ name: z.enum(nodeNames), role: z.string(), state: z.string() });
const clusterSchema = z.object({ members: z.array(memberSchema) });
type Member = z.output<typeof memberSchema>;

export interface PatroniCluster {
  /** The administrator's address through HAProxy, which connects to the leader. */
  readonly adminUrl: string;
  /**
   * The hosts and ports of the three servers without HAProxy, for an address with several hosts.
   */
  readonly hosts: readonly string[];
  members(): Promise<readonly Member[]>;
  /** Returns the leader in the view of the first reachable machine. */
  leader(): Promise<NodeName | undefined>;
  /** Resolves when all three servers run, and one of them is synchronous if the mode is. */
  untilWhole(): Promise<void>;
  /** Kills a machine's server and its Patroni by SIGKILL. */
  killNode(name: NodeName): Promise<void>;
  startNode(name: NodeName): Promise<void>;
  switchOver(from: NodeName, to: NodeName): Promise<void>;
  /** Lets commits no longer wait for a follower. */
  makeAsynchronous(): Promise<void>;
  /** Blocks all data to a machine and from it to etcd. No connection is ended. */
  isolate(name: NodeName): Promise<void>;
  /** Cuts a machine off from its followers. The service's processes still reach it. */
  holdBackFollowersOf(name: NodeName): Promise<void>;
  heal(): Promise<void>;
  close(): Promise<void>;
}

interface ClusterOptions {
  /** A folder that the servers' user may enter. */
  readonly folder: string;
  readonly logs: string;
  readonly firstPort: number;
  readonly user: ServerUser | undefined;
  readonly proxies: Toxiproxy;
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    () => true,
    () => false,
  );

const both = ['upstream', 'downstream'] as const;
const silence = { type: 'timeout', attributes: { timeout: 0 } } as const;

const proxyNames = (name: NodeName) =>
  ({
    replication: `${name} replication`,
    clients: `${name} clients`,
    rest: `${name} rest`,
    etcd: `${name} etcd`,
  }) as const;

/** Adds the proxies between the machines, with which the network can fail. */
const addProxies = async (proxies: Toxiproxy, ports: ClusterPorts): Promise<void> => {
  for (const name of nodeNames) {
    const [node, of] = [ports.nodes[name], proxyNames(name)];
    await proxies.add(of.replication, node.replication, node.postgres);
    await proxies.add(of.clients, node.clients, node.postgres);
    await proxies.add(of.rest, node.restByOthers, node.rest);
    await proxies.add(of.etcd, node.etcd, ports.etcd);
  }
};

/** Manages the files and processes of a cluster, which all belong to the servers' user. */
const createMachines = ({ folder: parent, logs, firstPort, user }: ClusterOptions) => {
  const files = createServerFolder(join(parent, 'patroni'), user);
  const { folder } = files;
  const ports = portsOfCluster(firstPort);
  const pids = new Map<string, { readonly pid: number; readonly mark: string }>();
  return {
    ...files,
    ports,
    dataOf: (name: NodeName): string => join(folder, name, 'data'),
    settingsOf: (name: NodeName): string => join(folder, name, 'patroni.yml'),
    start: async (name: string, [command = '', ...args]: string[], readyUrl: string) => {
      const logFile = join(logs, `${name}.log`);
      const place = { name, command, args, logFile, ...files.asUser, user, timeoutMs: 180_000 };
      const { pid } = await startServer({ ...place, isReady: () => answers(readyUrl) });
      pids.set(name, { pid, mark: args.at(-1) ?? '' });
    },
    stop: async (name: string, signal?: NodeJS.Signals) => {
      const known = pids.get(name);
      if (known === undefined) return;
      await stopProcess({ ...known, graceMs: 30_000, ...(signal !== undefined && { signal }) });
    },
  };
};

type Machines = ReturnType<typeof createMachines>;

const startEtcd = async ({ ports, makeFolder, start }: Machines): Promise<void> => {
  const url = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  const command: string[] = [programs['etcd-server'], '--name=one'];
  command.push(`--listen-client-urls=${url}`, `--advertise-client-urls=${url}`);
  command.push(`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`);
  command.push(`--initial-cluster=one=${peer}`, `--data-dir=${makeFolder('etcd')}`);
  await start('etcd', command, `${url}/health`);
};

const restOf = ({ ports }: Machines, name: NodeName): string =>
  `http://127.0.0.1:${ports.nodes[name].rest}`;

const startNode = (machines: Machines, name: NodeName): Promise<void> => {
  const { settingsOf, start } = machines;
  return start(name, [programs.patroni, settingsOf(name)], `${restOf(machines, name)}/liveness`);
};

/** Starts the servers one after another. The first one creates the cluster, so it leads. */
const startNodes = async (machines: Machines): Promise<void> => {
  const { ports, makeFolder, write, dataOf } = machines;
  const leads = async (): Promise<boolean> =>
    fetch(`${restOf(machines, 'node1')}/primary`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (const name of nodeNames) {
    const place = { name, ports, data: dataOf(name), folder: makeFolder(name) };
    write(join(name, 'patroni.yml'), patroniText(place));
    await startNode(machines, name);
    if (!(await waitUntilReady(leads, 240_000))) throw new Error('no server leads');
  }
};

const startHaproxy = async ({ ports, write, start }: Machines): Promise<void> => {
  const file = write('haproxy.cfg', haproxyText(ports));
  const status = `http://127.0.0.1:${ports.haproxyStatus}/`;
  await start('haproxy', [programs.haproxy, '-db', '-f', file], status);
  // HAProxy takes every server for the leader until it has checked it.
  const hasChecked = async (): Promise<boolean> => {
    const table = await (await fetch(`${status};csv`)).text();
    const servers = table.split('\n').filter((line) => /^postgres,node\d,/u.test(line));
    const others = servers.filter((line) => /,DOWN,/u.test(line));
    return others.length === servers.length - 1;
  };
  if (!(await waitUntilReady(hasChecked, 60_000))) throw new Error('HAProxy knows no leader');
};

/** Creates the reads of a cluster's state. */
const createViews = ({ ports }: Machines) => {
  const members = async (): Promise<readonly Member[]> => {
    for (const name of nodeNames) {
      const url = `http://127.0.0.1:${ports.nodes[name].restByOthers}/cluster`;
      const found: unknown = await fetch(url, { signal: AbortSignal.timeout(2000) })
        .then((response) => response.json())
        .catch(() => undefined);
      const parsed = clusterSchema.safeParse(found);
      if (parsed.success) return parsed.data.members;
    }
    return [];
  };
  const ask = async <T extends object>(name: NodeName, sql: string): Promise<T | undefined> => {
    const connectionString = adminOf(ports.nodes[name].postgres, 'postgres');
    const client = new Client({ connectionString, connectionTimeoutMillis: 5000 });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows }: QueryResult<T> = await client.query<T>(sql);
      return rows[0];
    } catch {
      return undefined;
    } finally {
      void client.end().catch(() => {});
    }
  };
  return {
    members,
    leader: async () => (await members()).find(({ role }) => role === 'leader')?.name,
    async isWhole(isSynchronous: boolean): Promise<boolean> {
      const all = await members();
      const one = all.find(({ role }) => role === 'leader');
      const running = all.filter(({ state }) => state === 'running' || state === 'streaming');
      if (one === undefined || running.length !== nodeNames.length) return false;
      if (isSynchronous && !all.some(({ role }) => role === 'sync_standby')) return false;
      const followers = await ask<{ count: number }>(
        one.name,
        `SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming'`,
      );
      return followers?.count === 2;
    },
    async waitsForNobody(name: NodeName): Promise<boolean> {
      const setting = await ask<{ names: string }>(
        name,
        `SELECT current_setting('synchronous_standby_names') AS names`,
      );
      return setting?.names === '';
    },
  };
};

/** Starts etcd, three servers that Patroni controls, and HAProxy before them. */
export const openPatroni = async (options: ClusterOptions): Promise<PatroniCluster> => {
  const { proxies } = options;
  const machines = createMachines(options);
  const { ports, dataOf, settingsOf, stop } = machines;
  const views = createViews(machines);
  let isSynchronous = true;
  const postmasterOf = (name: NodeName): number =>
    Number(readFileSync(join(dataOf(name), 'postmaster.pid'), 'utf8').split('\n')[0]);
  const waitsForNobody = async (): Promise<boolean> => {
    const one = await views.leader();
    return one !== undefined && views.waitsForNobody(one);
  };
  const close = async (): Promise<void> => {
    for (const name of ['haproxy', ...nodeNames, 'etcd']) await stop(name);
  };
  try {
    await addProxies(proxies, ports);
    await startEtcd(machines);
    await startNodes(machines);
    await startHaproxy(machines);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    adminUrl: adminOf(ports.haproxy, 'postgres'),
    hosts: nodeNames.map((name) => `127.0.0.1:${ports.nodes[name].clients}`),
    members: views.members,
    leader: views.leader,
    async untilWhole() {
      if (await waitUntilReady(() => views.isWhole(isSynchronous), 240_000)) return;
      throw new Error(`the cluster is not whole: ${JSON.stringify(await views.members())}`);
    },
    async killNode(name) {
      const pid = postmasterOf(name);
      await stop(name, 'SIGKILL');
      await stopProcess({ pid, mark: dataOf(name), signal: 'SIGKILL' });
    },
    startNode: (name) => startNode(machines, name),
    async switchOver(from, to) {
      const args = ['-c', settingsOf(from), 'switchover', 'gold', '--force'];
      args.push('--leader', from, '--candidate', to);
      await runOrThrow('/usr/bin/patronictl', args, machines.asUser);
    },
    async makeAsynchronous() {
      isSynchronous = false;
      const body = JSON.stringify({ synchronous_mode: false });
      await fetch(`${restOf(machines, 'node1')}/config`, { method: 'PATCH', body });
      if (!(await waitUntilReady(waitsForNobody, 120_000)))
        throw new Error('it stayed synchronous');
    },
    async isolate(name) {
      for (const proxy of Object.values(proxyNames(name))) {
        await proxies.poison(proxy, silence, both);
      }
    },
    // The connections are ended, so that data on the way does not arrive later.
    holdBackFollowersOf: (name) => proxies.cut(proxyNames(name).replication),
    heal: () => proxies.heal(),
    close,
  };
};
