import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  environmentOf,
  type LongRunning,
  type ProcessEnvironment,
  type StackAddresses,
} from '../../dev/stack/environment.ts';
import { writeMissingSwitches, type SwitchName } from '../../dev/stack/switch-files.ts';
import { choosePorts } from './choose-ports.ts';
import { freshDatabase, type FreshDatabase } from './fresh-database.ts';
import { startProcess, type StartedProcess } from './start-process.ts';

/** A separate system: database, Redis, switches, and the processes that a test starts. */
export interface TestStack {
  readonly database: FreshDatabase;
  readonly addresses: StackAddresses;
  /** The API's address. The process that serves it may not be started yet. */
  urlOf(app: 'customer' | 'admin' | 'accounting' | 'sandbox'): string;
  /** Returns the environment that a process of this stack is started with. */
  environmentOf(app: LongRunning): ProcessEnvironment;
  /**
   * Starts a process. The first process of an app takes the stack's port. While it runs, another
   * process of that app is a replica on other ports.
   */
  start(app: LongRunning, changes?: ProcessEnvironment): Promise<StartedProcess>;
  setSwitch(name: SwitchName, value: string): void;
  /** Stops what runs, in order, and drops the database. */
  stop(): Promise<void>;
}

interface TestStackOptions {
  /** False for a database without the seed of `make up`. It is true unless given. */
  readonly seeded?: boolean;
}

/** Makes a separate stack. Only its database and Redis run at first. */
export const createTestStack = async (options: TestStackOptions = {}): Promise<TestStack> => {
  const { seeded = true } = options;
  const [database, ports] = await Promise.all([freshDatabase({ seeded }), choosePorts()]);
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-test-'));
  const settingsDir = join(folder, 'settings');
  writeMissingSwitches(settingsDir);
  const addresses: StackAddresses = {
    mode: 'test',
    ports,
    databaseUrl: database.databaseUrl,
    migrateUrl: database.migrateUrl,
    redisUrl: database.redisUrl,
    settingsDir,
    objectsDir: join(folder, 'objects'),
    sandboxDir: join(folder, 'sandbox'),
  };
  const environment = (app: LongRunning): ProcessEnvironment => ({
    ...environmentOf(app, addresses),
    // A busy machine may answer late, and a story is not about that.
    REDIS_TIMEOUT_MS: '30000',
  });
  const running: StartedProcess[] = [];
  const isRunning = new Set<LongRunning>();
  return {
    database,
    addresses,
    urlOf: (app) => `http://127.0.0.1:${ports[app]}`,
    environmentOf: environment,
    async start(app, changes = {}) {
      const { PORT, INTERNAL_PORT, ...rest } = environment(app);
      const first = !isRunning.has(app);
      isRunning.add(app);
      const own = {
        ...(PORT === undefined ? {} : { PORT }),
        ...(INTERNAL_PORT === undefined ? {} : { INTERNAL_PORT }),
      };
      const started = await startProcess(app, { ...rest, ...(first ? own : {}), ...changes });
      running.push(started);
      if (first) void started.ended.then(() => isRunning.delete(app));
      return started;
    },
    setSwitch: (name, value) => writeFileSync(join(settingsDir, name), value),
    async stop() {
      await Promise.all(running.map((started) => started.kill()));
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
