import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { readStackOptions } from '../stack/stack-options.ts';
import { createLocalProcesses } from './local-processes.ts';
import { readEndpoints } from './read-endpoints.ts';
import { runDemo } from './run-demo.ts';

/**
 * `make demo`: plays the customer's story against the running stack. It exits with 1 if a step
 * fails.
 */

const repository = resolve(import.meta.dirname, '..', '..', '..');
const { stdout } = process;

const main = async (): Promise<boolean> => {
  const { paths } = readStackOptions(repository, process.env);
  return runDemo({
    endpoints: readEndpoints(paths.endpointsFile),
    local: createLocalProcesses({
      dist: paths.dist,
      environment: parseEnv(readFileSync(paths.environmentFile, 'utf8')) as Record<string, string>,
      logs: paths.logs,
    }),
    write: (text) => void stdout.write(text),
    colours: stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
  });
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
