import { join } from 'node:path';
import { buildApps } from '../../build.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { checkAtRest } from './at-rest.ts';
import { makeCustomer, type Customer, type Draw } from './customers.ts';
import { disturb, listDisturbances } from './disturbances.ts';
import { createDrill, prepareSchema, runDrill } from './drill.ts';
import { openGround, type Ground } from './ground.ts';
import { keepBuild } from './keep-build.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { runLoad } from './load.ts';
import { runOffice } from './office.ts';
import { addProcess, drawsOf, listCounts, makeProduct } from './run.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import { openToxiproxy, type Toxiproxy } from './toxiproxy.ts';

/**
 * `make chaos DURATION=s SEED=n` runs the built processes under load. Meanwhile processes are
 * killed and stopped, their stores fail, and the network to stores and collaborators fails. At rest
 * afterwards, every rule of the books must hold, nothing may be stuck, no acknowledged request may
 * be lost, and no repeat may get a different answer.
 */

const backend = join(import.meta.dirname, '..', '..');
const seconds = Number(process.env['DURATION'] ?? '120');
const seed = Number(process.env['SEED'] || createRandom().int(1e9));
const firstPort = Number(process.env['CHAOS_PORT_BASE'] ?? '5300');
const customerCount = Number(process.env['CUSTOMERS'] ?? '16');

const drill = createDrill();
const { timers, log } = drill;

const collaborators = [
  'safegold',
  'sandbox-gateway',
  'razorpay',
  'cashfree',
  'razorpayx',
  'msg91',
] as const;
const variableOf = {
  safegold: ['SAFEGOLD_BASE_URL', '/safegold'],
  'sandbox-gateway': ['SANDBOX_GATEWAY_BASE_URL', '/gateway'],
  razorpay: ['RAZORPAY_BASE_URL', '/razorpay'],
  cashfree: ['CASHFREE_BASE_URL', '/cashfree/pg'],
  razorpayx: ['RAZORPAYX_BASE_URL', '/razorpayx'],
  msg91: ['MSG91_BASE_URL', '/msg91'],
} as const;

const behind = (url: string, port: number): string => {
  const address = new URL(url);
  address.port = String(port);
  return address.href;
};

/**
 * Puts a proxy before each store and collaborator, and returns the environment with their
 * addresses.
 */
const addProxies = async ({ addresses }: Ground, proxies: Toxiproxy) => {
  const { ports, databaseUrl, redisUrl } = addresses;
  const postgres = await proxies.add('PostgreSQL', firstPort + 30, ports.postgres);
  const redis = await proxies.add('Redis', firstPort + 31, ports.redis);
  const environment: Record<string, string> = {
    DATABASE_URL: behind(databaseUrl, postgres),
    REDIS_URL: behind(redisUrl, redis),
  };
  for (const [index, name] of collaborators.entries()) {
    const port = await proxies.add(name, firstPort + 32 + index, ports.sandbox);
    const [variable, path] = variableOf[name];
    environment[variable] = `http://127.0.0.1:${port}${path}`;
  }
  return environment;
};

/** Returns the ports of a further replica. */
const at = (offset: number) => ({ port: firstPort + offset, internal: firstPort + 60 + offset });

const startAll = (
  ground: Ground,
  supervisor: Supervisor,
  { dist, changes }: { readonly dist: string; readonly changes: Record<string, string> },
) => {
  addProcess(ground, supervisor, { app: 'customer', name: 'customer-1', dist, changes });
  const second = { app: 'customer', name: 'customer-2', dist, changes } as const;
  addProcess(ground, supervisor, { ...second, ports: at(3) });
  addProcess(ground, supervisor, { app: 'admin', name: 'admin', dist, changes });
  addProcess(ground, supervisor, { app: 'accounting', name: 'accounting', dist, changes });
  addProcess(ground, supervisor, { app: 'worker', name: 'worker-1', dist, changes });
  const other = { app: 'worker', name: 'worker-2', dist, changes } as const;
  addProcess(ground, supervisor, { ...other, ports: at(4) });
  return [ground.endpoints.customer, `http://127.0.0.1:${at(3).port}`];
};

const makeCustomers = async (ground: Ground, urls: readonly string[], draw: Draw) => {
  const customers: Customer[] = [];
  while (customers.length < customerCount) {
    customers.push(await makeCustomer(ground.endpoints, urls, draw));
    if (customers.length % 4 === 0) log(`${customers.length} customers`);
  }
  return customers;
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const report = (
  ground: Ground,
  ledger: Ledger,
  figures: { readonly made: Record<string, number>; readonly restarts: number },
): void => {
  const counts = ledger.counts();
  const all = Object.values(counts).flatMap((answers) => Object.values(answers));
  const lines = [
    `seed ${seed}, ${seconds} s of trouble`,
    `${sumOf(Object.values(figures.made))} troubles: ${listCounts(figures.made)}`,
    `${figures.restarts} restarts of processes`,
    `${sumOf(all)} requests, ${ledger.acknowledged.length} acknowledged`,
    ...Object.entries(counts).map(([request, answers]) => `  ${request}: ${listCounts(answers)}`),
    `${ledger.findings.length} findings`,
    ...ledger.findings.map(({ what, detail }) => `  ${what}: ${detail}`),
  ];
  for (const line of lines) drill.print(line);
  drill.writeReport(ground);
};

const main = async (): Promise<boolean> => {
  log(`seed ${seed}`);
  await buildApps();
  const ground = await openGround('chaos', firstPort);
  const build = keepBuild(backend, ground.home);
  const dist = join(build, 'dist');
  const supervisor = createSupervisor(ground.logs);
  const proxies = await openToxiproxy(firstPort + 40);
  try {
    await prepareSchema(ground, build);
    addProcess(ground, supervisor, { app: 'sandbox', name: 'sandbox', dist });
    await supervisor.untilReady();
    const changes = await addProxies(ground, proxies);
    const urls = startAll(ground, supervisor, { dist, changes });
    await supervisor.untilReady();
    log('every process is ready');
    const draw = drawsOf(seed);
    const customers = await makeCustomers(ground, urls, draw);
    const productId = await makeProduct(ground);
    const ledger = createLedger();
    const ended = AbortSignal.timeout(seconds * 1000);
    const stores = ['PostgreSQL', 'Redis'];
    const kinds = listDisturbances({ ground, supervisor, proxies, stores, collaborators });
    const load = { customers, ledger, sandboxUrl: ground.endpoints.sandbox, productId, timers };
    const [made] = await Promise.all([
      // The faults have separate draws, so that a seed causes the same faults, independent of the
      // answers.
      disturb({ kinds, draw: drawsOf(seed + 1), timers, signal: ended, log }),
      runLoad({ ...load, draw: drawsOf(seed + 2), signal: ended, atOnce: 10, pauseMs: 400 }),
      runOffice({ ground, ledger, timers, draw: drawsOf(seed + 3), signal: ended }),
    ]);
    log('the trouble is over');
    await proxies.heal();
    for (const name of supervisor.names) supervisor.signal(name, 'SIGCONT');
    await supervisor.untilReady();
    const restarts = supervisor.restarts();
    await checkAtRest({ ground, ledger, timers, log });
    report(ground, ledger, { made, restarts });
    return ledger.findings.length === 0;
  } finally {
    await supervisor.stop();
    proxies.close();
    await ground.close();
  }
};

await runDrill(main);
