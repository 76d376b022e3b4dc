import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { workerProcessVariables } from '../../src/apps/worker/worker.variables.ts';
import { createRuntime } from '../../src/runtime/create-runtime.ts';
import { createServices } from '../../src/runtime/create-services.ts';
import { loadConfig } from '../../src/runtime/load-config.ts';

/**
 * Runs the worker's sweep that raises installments. It is wired as in the worker but alone in its
 * process, so that only its time and memory are measured. `POST /raise` runs one pass and returns
 * its figures. Reads the worker's environment.
 */
interface Driver {
  readonly Client: { prototype: { query: (...args: unknown[]) => unknown } };
}

const sampleEveryMs = 10;
const mega = 1024 * 1024;
const driver = createRequire(import.meta.url)('pg') as Driver; // the driver of the service's client
const { prototype } = driver.Client;
const send = prototype.query;
let statements = 0;
let commits = 0;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // the flag adds it to new contexts
const liveMb = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed / mega;
};

const textOf = (query: unknown): unknown =>
  typeof query === 'object' && query !== null && 'text' in query ? query.text : query;

prototype.query = function count(this: object, ...args: unknown[]): unknown {
  statements += 1;
  if (textOf(args[0]) === 'COMMIT') commits += 1;
  return send.apply(this, args);
};

const env = process.env;
const config = loadConfig(workerProcessVariables, env);
const runtime = await createRuntime('worker', config, env);
const { plans } = createServices(config, env, runtime, { receivesWebhooks: false });
const sweep = plans.sweeps.find(({ name }) => name === 'plans-raise-installments');

const raise = async () => {
  const liveBeforeMb = liveMb();
  const peaks = { residentMb: 0, heapMb: 0 };
  const sample = (): void => {
    const { rss, heapUsed } = process.memoryUsage();
    peaks.residentMb = Math.max(peaks.residentMb, rss / mega);
    peaks.heapMb = Math.max(peaks.heapMb, heapUsed / mega);
  };
  const timer = setInterval(sample, sampleEveryMs);
  [statements, commits] = [0, 0];
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await sweep?.run(new AbortController().signal);
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  clearInterval(timer);
  sample();
  const peak = { peakResidentMb: peaks.residentMb, peakHeapMb: peaks.heapMb };
  const cpuMs = (user + system) / 1000;
  return { ms, cpuMs, statements, commits, ...peak, liveBeforeMb, liveAfterMb: liveMb() };
};

createServer((req, res) => {
  const answer = req.url === '/raise' ? raise() : Promise.resolve({ status: 'ok' });
  void answer.then((body) => res.end(JSON.stringify(body)));
}).listen(Number(env['PORT']), '127.0.0.1');
