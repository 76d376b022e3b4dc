import { nodeArguments } from './node-arguments.ts';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  environmentOf,
  readinessUrl,
  type LongRunning,
  type StackAddresses,
} from './environment.ts';
import type { ProcessRecords } from './process-records.ts';
import { answersWell, lastWords, startServer, waitUntilReady } from './start-server.ts';
import type { StackPaths } from './stack-paths.ts';

interface ProcessOptions {
  readonly name: LongRunning;
  readonly paths: StackPaths;
  readonly addresses: StackAddresses;
  readonly records: ProcessRecords;
}

const readyTimeoutMs = 60_000;

const bundleOf = ({ name, paths }: ProcessOptions): string => join(paths.dist, name, 'main.js');

/** Hashes a process's code, packages and environment. */
const fingerprintOf = (options: ProcessOptions): string => {
  const environment = JSON.stringify(environmentOf(options.name, options.addresses));
  const hash = createHash('sha256')
    .update(environment)
    .update(readFileSync(bundleOf(options)));
  return hash
    .update(readFileSync(join(options.paths.repository, 'package-lock.json')))
    .digest('hex');
};

/** Returns Node's arguments. Tracing needs its hook loaded first, and costs nothing without it. */
const argumentsOf = ({ name, paths, addresses }: ProcessOptions): string[] => {
  const isTraced = addresses.tracesUrl !== undefined && name !== 'sandbox';
  const hook = pathToFileURL(join(paths.dist, 'otel', 'main.js')).href;
  return isTraced ? [...nodeArguments, '--import', hook] : [...nodeArguments];
};

const portsOf = (options: ProcessOptions): number[] => {
  const environment = environmentOf(options.name, options.addresses);
  const texts = [environment['PORT'], environment['INTERNAL_PORT']];
  return texts.flatMap((text) => (text === undefined ? [] : [Number(text)]));
};

/** Renames the log of the previous run, and returns the path of the new log. */
const newLog = (file: string): string => {
  if (existsSync(file)) renameSync(file, `${file}.1`);
  return file;
};

/** Returns true if the running process is the same that this stack would start now. */
const isUpToDate = async (options: ProcessOptions): Promise<boolean> => {
  const alive = await options.records.findAlive(options.name);
  return alive?.fingerprint === fingerprintOf(options);
};

/**
 * Starts a process of the stack and waits until it is ready. A process that is up to date keeps
 * running. A process of older code or another environment is replaced.
 * @throws Error with the end of its log if it does not get ready.
 */
export const startStackProcess = async (
  options: ProcessOptions,
): Promise<'started' | 'running'> => {
  const { name, paths, addresses, records } = options;
  const logFile = join(paths.logs, `${name}.log`);
  const url = readinessUrl(name, addresses.ports);
  const isReady = (): Promise<boolean> => answersWell(url);
  if (await isUpToDate(options)) {
    if (await waitUntilReady(isReady, readyTimeoutMs)) return 'running';
    throw new Error(`${name} runs but is not ready. The end of ${logFile}:\n${lastWords(logFile)}`);
  }
  await records.stop(name);
  // No process reads this argument. It distinguishes this stack's processes from another stack's.
  const mark = `--stack=${paths.home}`;
  const fingerprint = fingerprintOf(options);
  await startServer({
    name,
    command: process.execPath,
    args: [...argumentsOf(options), bundleOf(options), mark],
    logFile: newLog(logFile),
    isReady,
    timeoutMs: readyTimeoutMs,
    cwd: paths.backend,
    env: environmentOf(name, addresses),
    onStarted: (pid) => records.write(name, { pid, mark, fingerprint, ports: portsOf(options) }),
  });
  return 'started';
};
