import { buildApps } from '../../build.ts';
import { applicationRole } from '../../dev/stack/database-setup.ts';
import { resolveLoss } from './after-loss.ts';
import { checkAtRest } from './at-rest.ts';
import type { Customer } from './customers.ts';
import { createDrill, dist, makeCustomers, prepareSchema, runDrill } from './drill.ts';
import { failOver, loseLeader, type Scene } from './failovers.ts';
import { openGoldctl } from './goldctl.ts';
import { openGround, type Ground } from './ground.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { runLoad } from './load.ts';
import { missingPackages, openPatroni, type PatroniCluster } from './patroni.ts';
import { findServerErrors, reportOf } from './report.ts';
import { addProcess, drawsOf, makeProduct } from './run.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { openToxiproxy } from './toxiproxy.ts';
import { watchWrites } from './watch-writes.ts';

/**
 * `make failover` runs the built processes under load on three PostgreSQL servers, which Patroni
 * and etcd control. Half of the processes connect through HAProxy, half with an address of three
 * hosts. In the first half, each commit waits for a standby. The leader is killed, switched over
 * and cut off, and at rest no acknowledged request may be lost. In the second half, no commit
 * waits. The data that is lost with the leader is found and repaired by the runbook.
 */

const firstPort = Number(process.env['FAILOVER_PORT_BASE'] ?? '5600');
const customerCount = Number(process.env['CUSTOMERS'] ?? '8');
/** `synchronous` or `asynchronous` selects one half. */
const only = process.env['ONLY'] ?? '';
const seed = 42;

const drill = createDrill();
const { timers, log, print } = drill;

/** Returns the ports of a further replica. */
const at = (offset: number) => ({ port: firstPort + offset, internal: firstPort + 30 + offset });

/**
 * Returns an address of three hosts, with which libpq and the service find the host that accepts
 * writes.
 */
const addressOfHosts = ({ hosts }: PatroniCluster): string => {
  const { name, password } = applicationRole;
  const place = hosts.join(',');
  return `postgresql://${name}:${password}@${place}/digital_gold?target_session_attrs=read-write`;
};

const startProcesses = (ground: Ground, supervisor: Supervisor, cluster: PatroniCluster): void => {
  const changes = { DATABASE_URL: addressOfHosts(cluster) };
  const second = { app: 'customer', name: 'customer-2', dist, changes, ports: at(3) } as const;
  addProcess(ground, supervisor, { app: 'customer', name: 'customer-1', dist });
  addProcess(ground, supervisor, second);
  addProcess(ground, supervisor, { app: 'admin', name: 'admin', dist });
  addProcess(ground, supervisor, { app: 'worker', name: 'worker-1', dist });
  const other = { app: 'worker', name: 'worker-2', dist, changes, ports: at(4) } as const;
  addProcess(ground, supervisor, other);
};

interface Play extends Omit<Scene, 'watched' | 'ledger'> {
  readonly ground: Ground;
  readonly supervisor: Supervisor;
  readonly customers: readonly Customer[];
  readonly watchers: readonly (readonly [string, Customer])[];
  readonly productId: string;
}

/** Runs the load and the watched writes while `trouble` runs. */
const underLoad = async (
  { ground, customers, watchers, productId, ...scene }: Play,
  ledger: Ledger,
  trouble: (scene: Scene) => Promise<void>,
): Promise<void> => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const load = { customers, ledger, productId, timers, signal, draw: drawsOf(seed) };
  const { sandbox: sandboxUrl } = ground.endpoints;
  const running = runLoad({ ...load, sandboxUrl, atOnce: 8, pauseMs: 400 });
  const watched = watchers.map(([way, customer]) => watchWrites(way, customer, { timers, signal }));
  try {
    await trouble({ ...scene, watched, ledger });
  } finally {
    stopping.abort();
    await running;
  }
};

const playSynchronous = async (play: Play): Promise<boolean> => {
  const ledger = createLedger();
  print('Each commit waits for a standby.');
  await underLoad(play, ledger, async (scene) => {
    for (const kind of ['killed', 'switched over', 'cut off'] as const) {
      await failOver(scene, kind);
    }
  });
  await play.supervisor.untilReady();
  await checkAtRest({ ground: play.ground, ledger, timers, log });
  findServerErrors(ledger);
  for (const line of reportOf('At rest', ledger)) print(line);
  return ledger.findings.length === 0;
};

const playAsynchronous = async (play: Play): Promise<boolean> => {
  const { ground, cluster } = play;
  const ledger = createLedger();
  const goldctl = openGoldctl(ground, log);
  await cluster.makeAsynchronous();
  print('No commit waits for a standby.');
  await underLoad(play, ledger, loseLeader);
  await play.supervisor.untilReady();
  return resolveLoss({ ground, goldctl, ledger, timers, log, print });
};

const main = async (): Promise<boolean> => {
  await buildApps();
  const proxies = await openToxiproxy(firstPort + 60);
  let cluster: PatroniCluster | undefined;
  const supervisors: Supervisor[] = [];
  const ground = await openGround('failover', firstPort, async ({ serverHome, logs, user }) => {
    const place = { folder: serverHome, logs, user, firstPort: firstPort + 61, proxies };
    cluster = await openPatroni(place);
    return {
      adminUrl: cluster.adminUrl,
      restart: () => Promise.reject(new Error('a cluster is failed over')),
      close: async () => cluster?.close(),
    };
  }).catch(async (error: unknown) => {
    await cluster?.close();
    proxies.close();
    throw error;
  });
  try {
    if (cluster === undefined) throw new Error('there is no cluster');
    log('three servers, one leads');
    await prepareSchema(ground);
    await cluster.untilWhole();
    const supervisor = createSupervisor(ground.logs);
    supervisors.push(supervisor);
    addProcess(ground, supervisor, { app: 'sandbox', name: 'sandbox', dist });
    await supervisor.untilReady();
    startProcesses(ground, supervisor, cluster);
    await supervisor.untilReady();
    log('every process is ready');
    const draw = drawsOf(seed);
    const { endpoints } = ground;
    const urls = [endpoints.customer, `http://127.0.0.1:${at(3).port}`] as const;
    const customers = await makeCustomers(ground, urls, { count: customerCount, draw });
    const [ofProxy] = await makeCustomers(ground, [urls[0]], { count: 1, draw });
    const [ofHosts] = await makeCustomers(ground, [urls[1]], { count: 1, draw });
    if (ofProxy === undefined || ofHosts === undefined) throw new Error('there is nobody');
    const watchers = [
      ['HAProxy', ofProxy],
      ['three hosts', ofHosts],
    ] as const;
    await cluster.untilWhole();
    const productId = await makeProduct(ground);
    const scene = { cluster, timers, log, print };
    const play: Play = { ...scene, ground, supervisor, customers, watchers, productId };
    const isWhole = only === 'asynchronous' || (await playSynchronous(play));
    const isMended = only === 'synchronous' || (await playAsynchronous(play));
    drill.writeReport(ground);
    return isWhole && isMended;
  } finally {
    for (const supervisor of supervisors) await supervisor.stop();
    await ground.close();
    proxies.close();
  }
};

await runDrill(main, missingPackages());
