import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { joinMarks, judgeMarks, spreadOf } from '../lib/mark-agreement.ts';
import type { Report } from '../lib/report.types.ts';
import { findK6 } from './find-k6.ts';
import { watchMemory } from './process-memory.ts';
import { readRunnerOptions } from './options.ts';
import { runSuite } from './run-suite.ts';
import { suiteEnvironment } from './suite-environment.ts';

/**
 * Measures the price feed with a growing number of sockets, which two k6 processes open. Measures a
 * bare Socket.IO server with the same tick interval for comparison. Prints the results as a table
 * (`make loadtest-sockets`).
 */

const folder = join(import.meta.dirname, '..');
const repository = join(folder, '..');
const tickMs = 10_000;

interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

const startBare = async (): Promise<Target & { readonly stop: () => void }> => {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'bare-feed.ts'), String(tickMs)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await once(child.stdout, 'data')) as [Buffer]; // without an encoding, data is a Buffer
  const stop = (): void => void child.kill();
  return { name: 'bare Socket.IO', url: line.toString().trim(), pid: child.pid ?? 0, stop };
};

const findService = (endpointsFile: string, url: string): Target => {
  const file = join(endpointsFile, '..', 'run', 'customer.json');
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number }; // the local stack writes it
  return { name: 'customer API', url, pid };
};

/** Gives half of the sockets to each of two k6 processes. A single socket needs only one process. */
const segmentsOf = (sockets: number): readonly (Record<string, string> | undefined)[] =>
  sockets === 1
    ? [undefined]
    : ['0:1/2', '1/2:1'].map((segment) => ({ SEGMENT: segment, SEGMENT_SEQUENCE: '0,1/2,1' }));

/** Runs the suite in all k6 processes at the same time. Returns their reports. */
const hear = (k6: string, { name, url }: Target, sockets: number): Promise<Report[]> => {
  const firstMarkMs = Math.ceil((Date.now() + 1000) / tickMs) * tickMs;
  return Promise.all(
    segmentsOf(sockets).map(async (segment, index) => {
      const place = `${name.replace(/\W/g, '-')}-${sockets}-${index}`;
      const resultsDir = resolve(process.env['RESULTS_DIR'] ?? join(folder, 'results'), place);
      mkdirSync(resultsDir, { recursive: true });
      await runSuite({
        k6,
        folder,
        suite: 'price-cadence',
        env: {
          ...process.env,
          // Limits each k6 process to one processor, so that the server keeps processors too.
          GOMAXPROCS: process.env['GOMAXPROCS'] ?? '1',
          GOGC: process.env['GOGC'] ?? '400',
          CUSTOMER_URL: url,
          PROFILE: 'breakpoint',
          SOCKETS: String(sockets),
          FIRST_MARK_MS: String(firstMarkMs),
          RESULTS_DIR: resultsDir,
          ...segment,
        },
      });
      const file = join(resultsDir, 'price-cadence.json');
      return JSON.parse(readFileSync(file, 'utf8')) as Report; // the suite writes it
    }),
  );
};

const countOf = (reports: readonly Report[], threshold: string, value: string): number =>
  reports
    .flatMap(({ verdicts }) => verdicts)
    .filter((verdict) => verdict.threshold.startsWith(threshold))
    .reduce((sum, { values }) => sum + (values[value] ?? 0), 0);

const range = (values: readonly number[]): string =>
  values.length === 0
    ? '-'
    : `${Math.round(Math.min(...values))} to ${Math.round(Math.max(...values))} ms`;

const measure = async (k6: string, target: Target, sockets: number): Promise<string> => {
  const memory = watchMemory(target.pid);
  const reports = await hear(k6, target, sockets);
  const { before, highest } = memory.stop();
  const marks = joinMarks(reports.map(({ marks: heard }) => heard ?? []));
  const mostSockets = Math.max(0, ...marks.map((mark) => mark.sockets));
  const allJoined = marks.filter((mark) => mark.sockets >= 0.99 * mostSockets);
  const stillJoining = marks.filter((mark) => mark.sockets < 0.99 * mostSockets);
  const agree = judgeMarks(marks).every(({ ok }) => ok);
  const cells = [
    sockets,
    target.name,
    countOf(reports, 'feed_joined', 'passes'),
    countOf(reports, 'sockets_finished', 'count'),
    `${before} MB, ${highest} MB: ${Math.round(((highest - before) * 1024) / sockets)} kB`,
    range(allJoined.map(spreadOf)),
    range(stillJoining.map(spreadOf)),
    range(allJoined.map(({ heardMs }) => heardMs[1])),
    agree ? 'the same' : 'NOT the same',
  ];
  return `| ${cells.join(' | ')} |`;
};

const columns = [
  'Sockets',
  '',
  'Joined',
  'To the end',
  'Memory before, highest: a socket',
  'Spread, all joined',
  'Spread, joining',
  '99 of 100 after the mark',
  '`seq` and price',
] as const;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const main = async (): Promise<void> => {
  const { env } = process;
  const options = readRunnerOptions([], env, repository);
  const k6 = findK6(env['PATH'] ?? '', repository);
  if (k6 === undefined)
    throw new Error('k6 is neither on the PATH nor in .tools/bin: "make tools"');
  const { settings } = suiteEnvironment(env, { ...options, resultsDir: '' });
  const service = findService(options.endpointsFile, settings.baseUrls.customer);
  const sizes = (env['SIZES'] ?? '').split(',').filter((text) => text !== '');
  say(`| ${columns.join(' | ')} |`);
  say(`|${'---|'.repeat(columns.length)}`);
  for (const sockets of sizes.length > 0 ? sizes.map(Number) : [1, 100, 1000, 10_000]) {
    const bare = await startBare();
    say(await measure(k6, bare, sockets));
    bare.stop();
    say(await measure(k6, service, sockets));
  }
};

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
