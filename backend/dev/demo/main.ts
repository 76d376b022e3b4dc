import { resolve } from 'node:path';
import { readStackOptions } from '../stack/stack-options.ts';
import { createPrinter } from './create-printer.ts';
import { readEndpoints } from './read-endpoints.ts';
import { runDemo } from './run-demo.ts';
import { story } from './story.ts';

/** `make demo`: plays the customer's story against the running stack; exit code 1 if it fails. */

const repository = resolve(import.meta.dirname, '..', '..', '..');
const { stdout } = process;

const main = async (): Promise<boolean> => {
  const { paths } = readStackOptions(repository, process.env);
  const printer = createPrinter({
    write: (text) => void stdout.write(text),
    colours: stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '',
  });
  return runDemo({ endpoints: readEndpoints(paths.endpointsFile), steps: story, printer });
};

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
