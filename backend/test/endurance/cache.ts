import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { startRedisSentinels } from '#test/support/redis-sentinels.ts';
import { buildApps } from '../../build.ts';
import { environmentOf, type ProcessEnvironment } from '../../dev/stack/environment.ts';
import { migrateDatabase } from '../../dev/stack/migrate-database.ts';
import { seedDatabase } from '../../dev/stack/seed-database.ts';
import { writeStackFiles } from '../../dev/stack/stack-files.ts';
import { stackPaths } from '../../dev/stack/stack-paths.ts';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { openGround, type Ground } from './ground.ts';
import { addProcess, type App } from './run.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/**
 * `make cache-drill`: runs the k6 load tests while Redis fails. First the price's cadence, with Redis
 * stopped for three minutes: every mark is heard, at most 2.5 s late. Then the smoke of all suites,
 * with the master of three Sentinels killed in its middle.
 */

const backend = join(import.meta.dirname, '..', '..');
const repository = join(backend, '..');
const dist = join(backend, 'dist');
const firstPort = Number(process.env['CACHE_PORT_BASE'] ?? '5800');
const [calmMs, stoppedMs] = [20_000, 180_000];

const timers = createTimers();
const begun = performance.now();
const log = (line: string): void => {
  const at = ((performance.now() - begun) / 1000).toFixed(1).padStart(7);
  process.stdout.write(`${at} s  ${line}\n`);
};

const apps: readonly App[] = ['customer', 'admin', 'accounting', 'worker'];

/** A load test looks at the bounds of production, so no bound is lifted here. */
const bounds = { QUOTES_PER_TEN_MINUTES: '60', LOG_LEVEL: 'warn' };

const startApps = async (ground: Ground, supervisor: Supervisor, changes: ProcessEnvironment) => {
  for (const app of apps) {
    addProcess(ground, supervisor, { app, name: app, dist, changes: { ...bounds, ...changes } });
  }
  await supervisor.untilReady();
};

/** Runs the load tests against the ground. Returns whether every threshold held. */
const loadTest = ({ home }: Ground, args: readonly string[], env: ProcessEnvironment) =>
  new Promise<boolean>((resolve) => {
    const main = join(repository, 'loadtests', 'runner', 'main.ts');
    const own = { ...process.env, ...env, STACK_HOME: home, RESULTS_DIR: join(home, 'results') };
    const command = ['--import', 'tsx', main, ...args];
    const child = spawn(process.execPath, command, { cwd: repository, env: own, stdio: 'inherit' });
    child.once('exit', (code) => resolve(code === 0));
  });

const playCadence = async (ground: Ground): Promise<boolean> => {
  const late = { LATENESS_P95_MS: '2500', LATENESS_MAX_MS: '2500' };
  // Marks before, during and after.
  const marks = String(Math.ceil((2 * calmMs + stoppedMs) / 10_000));
  const running = loadTest(ground, ['--suite', 'price-cadence'], { ...late, MARKS: marks });
  await timers.sleep(calmMs);
  log('Redis is stopped');
  await ground.stopRedis();
  await timers.sleep(stoppedMs);
  log('Redis is back');
  await ground.startRedis();
  return running;
};

const playSmoke = async (ground: Ground, supervisor: Supervisor): Promise<boolean> => {
  const servers = await startRedisSentinels();
  try {
    await supervisor.stop(apps);
    await startApps(ground, supervisor, {
      REDIS_URL: servers.url,
      REDIS_SENTINELS: servers.sentinels.map(({ host, port }) => `${host}:${port}`).join(','),
      REDIS_SENTINEL_PASSWORD: servers.sentinelPassword,
    });
    const running = loadTest(ground, ['--profile', 'smoke'], {});
    await timers.sleep(calmMs);
    log('the master is killed');
    await servers.killMaster();
    return await running;
  } finally {
    await supervisor.stop(apps);
    await servers.close();
  }
};

const main = async (): Promise<boolean> => {
  await buildApps();
  const ground = await openGround('cache', firstPort);
  const supervisor = createSupervisor(ground.logs);
  try {
    const { addresses } = ground;
    const environment = environmentOf('migrate', addresses);
    await migrateDatabase({ backend, environment, migrateUrl: addresses.migrateUrl });
    await seedDatabase(backend, addresses);
    writeStackFiles(stackPaths(repository, ground.home), addresses);
    addProcess(ground, supervisor, { app: 'sandbox', name: 'sandbox', dist });
    await startApps(ground, supervisor, {});
    log('every process is ready');
    const isCadent = await playCadence(ground);
    log(`cadence with Redis stopped: ${isCadent ? 'every threshold held' : 'FAILED'}`);
    const isSmooth = await playSmoke(ground, supervisor);
    log(`smoke with the master killed: ${isSmooth ? 'every threshold held' : 'FAILED'}`);
    return isCadent && isSmooth;
  } finally {
    await supervisor.stop();
    await ground.close();
  }
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : inspect(error)}\n`);
  process.exitCode = 1;
}
