import { mkdirSync } from 'node:fs';
import { buildApps, generateClient, listApps } from '../../build.ts';
import { findBusyPorts } from './busy-ports.ts';
import { environmentOf, longRunning, type StackAddresses } from './environment.ts';
import { migrateDatabase } from './migrate-database.ts';
import { createProcessRecords } from './process-records.ts';
import { seedDatabase } from './seed-database.ts';
import { writeStackFiles } from './stack-files.ts';
import type { StackOptions } from './stack-options.ts';
import { startStackProcess } from './stack-processes.ts';
import { prepareDatabase, startStackPostgres, startStackRedis } from './stack-servers.ts';

type Log = (line: string) => void;

/** Runs one step and logs its duration. */
const timed = async <T>(log: Log, title: string, work: () => Promise<T>): Promise<T> => {
  const begun = performance.now();
  const result = await work();
  log(`${title.padEnd(34)} ${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s`);
  return result;
};

/**
 * Starts the whole stack and waits until every process is ready. Processes that are up to date keep
 * running, so a repeat is quick and harmless.
 * @throws Error that says what is wrong: every busy port, or the end of the log of a process that
 * died.
 */
export const startStack = async (options: StackOptions, log: Log): Promise<StackAddresses> => {
  const { paths, ports } = options;
  const records = createProcessRecords(paths.run);
  const busy = await findBusyPorts(options, records);
  if (busy.length > 0) throw new Error(busy.join('\n'));
  for (const folder of [paths.logs, paths.run]) mkdirSync(folder, { recursive: true });

  await timed(log, 'built the database client', generateClient);
  await timed(log, 'built the processes', () => buildApps());
  const adminUrl = await timed(log, 'PostgreSQL is up', () => startStackPostgres(options));
  const redisUrl = await timed(log, 'Redis is up', () => startStackRedis(options, records, log));
  const addresses: StackAddresses = {
    mode: 'development',
    ports,
    ...(await prepareDatabase(adminUrl, options.databaseName)),
    redisUrl,
    settingsDir: paths.settings,
    objectsDir: paths.objects,
    sandboxDir: paths.sandboxData,
    tracesUrl: options.tracesUrl,
  };
  await timed(log, 'migrated the database', () =>
    migrateDatabase({
      backend: paths.backend,
      environment: environmentOf('migrate', addresses),
      migrateUrl: addresses.migrateUrl,
    }),
  );
  await timed(log, 'seeded the database', () => seedDatabase(paths.backend, addresses));
  writeStackFiles(paths, addresses);
  const apps = longRunning.filter((name) => listApps().includes(name));
  await timed(log, 'every process is ready', () =>
    Promise.all(apps.map((name) => startStackProcess({ name, paths, addresses, records }))),
  );
  return addresses;
};
