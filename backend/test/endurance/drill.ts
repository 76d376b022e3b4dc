import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ApiError, ApiUnreachableError } from '@digital-gold/client';
import { environmentOf } from '../../dev/stack/environment.ts';
import { migrateDatabase } from '../../dev/stack/migrate-database.ts';
import { seedDatabase } from '../../dev/stack/seed-database.ts';
import { createTimers, type Timers } from '../../src/platform/clock/timers.ts';
import { makeCustomer, type Customer, type Draw } from './customers.ts';
import type { Ground } from './ground.ts';

const backend = join(import.meta.dirname, '..', '..');
/** The folder of the builds that drills run. */
export const dist = join(backend, 'dist');

/** Prints the progress of a drill, and collects the lines of its report. */
export interface Drill {
  readonly timers: Timers;
  /** Prints a line with the seconds since the drill began. */
  readonly log: (line: string) => void;
  /** Prints a line and adds it to the report. */
  readonly print: (line: string) => void;
  /** Prints a line with the seconds and adds it to the report. */
  readonly report: (line: string) => void;
  /** Writes the report to the ground's folder. */
  readonly writeReport: (ground: Ground) => void;
}

export const createDrill = (): Drill => {
  const startedAt = performance.now();
  const lines: string[] = [];
  const timed = (line: string): string =>
    `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}`;
  const print = (line: string): void => {
    lines.push(line);
    process.stdout.write(`${line}\n`);
  };
  return {
    timers,
    log: (line) => void process.stdout.write(`${timed(line)}\n`),
    print,
    report: (line) => print(timed(line)),
    writeReport: ({ home }) => writeFileSync(join(home, 'report.txt'), `${lines.join('\n')}\n`),
  };
};

/**
 * Creates the schema of this build, or of the build in `folder`, with the same seed as `make up`.
 */
export const prepareSchema = async ({ addresses }: Ground, folder = backend): Promise<void> => {
  const environment = environmentOf('migrate', addresses);
  await migrateDatabase({ backend: folder, environment, migrateUrl: addresses.migrateUrl });
  await seedDatabase(folder, addresses);
};

/**
 * The maximum number of tries to create a customer. On a busy machine, a failover may happen before
 * the drill causes it.
 */
const maxTries = 10;
const timers = createTimers();

const makeOne = async (...given: Parameters<typeof makeCustomer>): Promise<Customer> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await makeCustomer(...given);
    } catch (error) {
      const isPassing =
        error instanceof ApiUnreachableError || (error instanceof ApiError && error.status === 503);
      if (!isPassing || tries === maxTries) throw error;
      await timers.sleep(5000);
    }
  }
};

/** Creates customers whose requests go to any of the addresses. */
export const makeCustomers = async (
  { endpoints }: Pick<Ground, 'endpoints'>,
  urls: readonly string[],
  { count, draw }: { readonly count: number; readonly draw: Draw },
): Promise<Customer[]> => {
  const customers: Customer[] = [];
  while (customers.length < count) customers.push(await makeOne(endpoints, urls, draw));
  return customers;
};

/**
 * Runs a drill. The exit code is 0 if every check passed, or if the drill was left out because of
 * missing programs.
 */
export const runDrill = async (
  main: () => Promise<boolean>,
  missing: readonly string[] = [],
): Promise<void> => {
  if (missing.length > 0) {
    process.stdout.write(`left out: not installed: ${missing.join(', ')}\n`);
    return;
  }
  try {
    process.exitCode = (await main()) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : inspect(error)}\n`);
    process.exitCode = 1;
  }
};
