import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startRedisCluster } from '#test/support/redis-cluster.ts';
import { startRedisSentinels } from '#test/support/redis-sentinels.ts';
import { buildApps } from '../../build.ts';
import type { ProcessEnvironment } from '../../dev/stack/environment.ts';
import { writeStackFiles } from '../../dev/stack/stack-files.ts';
import { stackPaths } from '../../dev/stack/stack-paths.ts';
import { createDrill, dist, prepareSchema, runDrill } from './drill.ts';
import { openGround, type Ground } from './ground.ts';
import { addProcess, type App } from './run.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

/**
 * `make cache-drill` runs the k6 load tests while Redis fails. First it runs the suite of the
 * price's cadence with Redis stopped for three minutes. Every mark must be received, at most 2.5 s
 * late. Then it runs the smoke profile of all suites, while the master of three Sentinels is
 * killed, and again on a cluster, while slots are moved.
 */

const repository = join(import.meta.dirname, '..', '..', '..');
const firstPort = Number(process.env['CACHE_PORT_BASE'] ?? '5800');
/** `cadence`, `sentinels` or `cluster` selects a single drill. */
const only = process.env['ONLY'] ?? '';
const [calmMs, stoppedMs] = [20_000, 180_000];

const drill = createDrill();
const { timers, log, print } = drill;

const apps: readonly App[] = ['customer', 'admin', 'accounting', 'worker'];

/** The limits of production, since the load tests check them. */
const bounds = { QUOTES_PER_TEN_MINUTES: '60', LOG_LEVEL: 'warn' };

/** Starts the service with the ground's Redis, unless `changes` has another one. */
const startApps = async (ground: Ground, supervisor: Supervisor, changes: ProcessEnvironment) => {
  for (const app of apps) {
    addProcess(ground, supervisor, { app, name: app, dist, changes: { ...bounds, ...changes } });
  }
  await supervisor.untilReady();
};

/** Runs the load tests against the ground. Returns true if every threshold passed. */
const loadTest = ({ home }: Ground, args: readonly string[], env: ProcessEnvironment) =>
  new Promise<boolean>((resolve) => {
    const main = join(repository, 'loadtests', 'runner', 'main.ts');
    const own = { ...process.env, ...env, STACK_HOME: home, RESULTS_DIR: join(home, 'results') };
    const command = ['--import', 'tsx', main, ...args];
    const child = spawn(process.execPath, command, { cwd: repository, env: own, stdio: 'inherit' });
    child.once('exit', (code) => resolve(code === 0));
  });

const playCadence = async (ground: Ground, supervisor: Supervisor): Promise<boolean> => {
  await startApps(ground, supervisor, {});
  const late = { LATENESS_P95_MS: '2500', LATENESS_MAX_MS: '2500' };
  // This includes marks before, during and after the stop.
  const marks = String(Math.ceil((2 * calmMs + stoppedMs) / 10_000));
  try {
    const running = loadTest(ground, ['--suite', 'price-cadence'], { ...late, MARKS: marks });
    await timers.sleep(calmMs);
    log('Redis is stopped');
    await ground.stopRedis();
    await timers.sleep(stoppedMs);
    log('Redis is back');
    await ground.startRedis();
    return await running;
  } finally {
    await supervisor.stop(apps);
  }
};

const playSentinels = async (ground: Ground, supervisor: Supervisor): Promise<boolean> => {
  const servers = await startRedisSentinels();
  try {
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

/** The pause between two moves of slots. */
const moveEveryMs = 500;

const playCluster = async (ground: Ground, supervisor: Supervisor): Promise<boolean> => {
  const servers = await startRedisCluster();
  const stopping = new AbortController();
  let moved = 0;
  const move = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      for (const key of await servers.keys()) {
        if (stopping.signal.aborted) return;
        await servers.moveSlotOf(key);
        moved += 1;
        await timers.sleep(moveEveryMs, stopping.signal);
      }
      await timers.sleep(moveEveryMs, stopping.signal);
    }
  };
  try {
    const hosts = new URL(servers.url).searchParams.get('hosts') ?? '';
    await startApps(ground, supervisor, { REDIS_URL: `redis+cluster://${hosts}` });
    const running = loadTest(ground, ['--profile', 'smoke'], {}).finally(() => stopping.abort());
    await move();
    print(`${moved} slots were moved under load.`);
    return await running;
  } finally {
    stopping.abort();
    await supervisor.stop(apps);
    await servers.close();
  }
};

const plays = {
  cadence: { says: 'The cadence, Redis stopped for three minutes', play: playCadence },
  sentinels: { says: 'The smoke, the master killed', play: playSentinels },
  cluster: { says: 'The smoke, slots of a cluster moved', play: playCluster },
} as const;

const main = async (): Promise<boolean> => {
  await buildApps();
  const ground = await openGround('cache', firstPort);
  const supervisor = createSupervisor(ground.logs);
  let isWhole = true;
  try {
    await prepareSchema(ground);
    writeStackFiles(stackPaths(repository, ground.home), ground.addresses);
    addProcess(ground, supervisor, { app: 'sandbox', name: 'sandbox', dist });
    await supervisor.untilReady();
    for (const [name, { says, play }] of Object.entries(plays)) {
      if (only !== '' && only !== name) continue;
      const holds = await play(ground, supervisor);
      print(`${says}: ${holds ? 'every threshold held' : 'FAILED'}`);
      isWhole &&= holds;
    }
    drill.writeReport(ground);
    return isWhole;
  } finally {
    await supervisor.stop();
    await ground.close();
  }
};

await runDrill(main);
