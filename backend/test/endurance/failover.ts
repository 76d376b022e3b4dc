import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { buildApps } from '../../build.ts';
import { applicationRole } from '../../dev/stack/database-setup.ts';
import { environmentOf, type StackAddresses } from '../../dev/stack/environment.ts';
import { migrateDatabase } from '../../dev/stack/migrate-database.ts';
import { seedDatabase } from '../../dev/stack/seed-database.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { resolveLoss } from './after-loss.ts';
import { holdAtRest } from './at-rest.ts';
import { makeCustomer, type Customer } from './customers.ts';
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
 * `make failover`: runs the built processes under load on three PostgreSQL servers that Patroni and
 * etcd watch over. Half of the processes reach them by HAProxy, half by an address with three hosts.
 * First each commit waits for a standby: the leader is killed, switched over and cut off, and at rest
 * nothing that was acknowledged is lost. Then nothing waits: what is lost with the leader is found
 * and mended as the runbook says.
 */

const backend = join(import.meta.dirname, '..', '..');
const dist = join(backend, 'dist');
const firstPort = Number(process.env['FAILOVER_PORT_BASE'] ?? '5600');
const customerCount = Number(process.env['CUSTOMERS'] ?? '8');
/** `synchronous` or `asynchronous` for one half. */
const only = process.env['ONLY'] ?? '';
const seed = 42;

const timers = createTimers();
const begun = performance.now();
const lines: string[] = [];
const log = (line: string): void => {
  const at = ((performance.now() - begun) / 1000).toFixed(1).padStart(7);
  process.stdout.write(`${at} s  ${line}\n`);
};
const print = (line: string): void => {
  lines.push(line);
  process.stdout.write(`${line}\n`);
};

/** Ports of a replica beyond the first. */
const at = (offset: number) => ({ port: firstPort + offset, internal: firstPort + 30 + offset });

/** The address by which libpq and we find the one of three that takes writes. */
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

const migrate = async (addresses: StackAddresses): Promise<void> => {
  const environment = environmentOf('migrate', addresses);
  await migrateDatabase({ backend, environment, migrateUrl: addresses.migrateUrl });
  await seedDatabase(backend, addresses);
};

interface Play extends Omit<Scene, 'watched'> {
  readonly ground: Ground;
  readonly supervisor: Supervisor;
  readonly customers: readonly Customer[];
  readonly watchers: readonly (readonly [string, Customer])[];
  readonly productId: string;
}

/** Runs the load and the watched writes while `trouble` lasts. */
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
    await trouble({ ...scene, watched });
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
  await holdAtRest({ ground: play.ground, ledger, timers, log });
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
    await migrate(ground.addresses);
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
    const customers: Customer[] = [];
    while (customers.length < customerCount) {
      customers.push(await makeCustomer(endpoints, urls, draw));
    }
    const watchers = [
      ['HAProxy', await makeCustomer(endpoints, [urls[0]], draw)],
      ['three hosts', await makeCustomer(endpoints, [urls[1]], draw)],
    ] as const;
    const productId = await makeProduct(ground);
    const scene = { cluster, timers, log, print };
    const play: Play = { ...scene, ground, supervisor, customers, watchers, productId };
    const isWhole = only === 'asynchronous' || (await playSynchronous(play));
    const isMended = only === 'synchronous' || (await playAsynchronous(play));
    writeFileSync(join(ground.home, 'report.txt'), `${lines.join('\n')}\n`);
    return isWhole && isMended;
  } finally {
    for (const supervisor of supervisors) await supervisor.stop();
    await ground.close();
    proxies.close();
  }
};

const missing = missingPackages();
try {
  if (missing.length > 0) print(`left out: not installed: ${missing.join(', ')}`);
  else process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : inspect(error)}\n`);
  process.exitCode = 1;
}
