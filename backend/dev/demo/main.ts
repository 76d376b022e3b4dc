import { resolve } from 'node:path';
import { readStackOptions } from '../stack/stack-options.ts';
import { readEndpoints } from './read-endpoints.ts';
import { runDemo } from './run-demo.ts';

/** `make demo`: plays the customer's story against the running stack; exit code 1 if it fails. */

const repository = resolve(import.meta.dirname, '..', '..', '..');
const { stdout } = process;

const main = async (): Promise<boolean> => {
  const { paths } = readStackOptions(repository, process.env);
  return runDemo({
    endpoints: readEndpoints(paths.endpointsFile),
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
