import { resolve } from 'node:path';
import { describeStack } from './describe-stack.ts';
import { explain } from './explain.ts';
import { readStackOptions, type StackOptions } from './stack-options.ts';
import { withStackLock } from './stack-lock.ts';
import { startStack } from './start-stack.ts';
import { resetStack, stopStack } from './stop-stack.ts';

/** The local stack's commands, for the Makefile: up, down, reset. */

const repository = resolve(import.meta.dirname, '..', '..', '..');

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const up = async (options: StackOptions): Promise<void> => {
  const begun = performance.now();
  const addresses = await startStack(options, print);
  const seconds = (performance.now() - begun) / 1000;
  print(describeStack(options.paths, addresses, seconds));
};

const commands: Readonly<Record<string, (options: StackOptions) => Promise<void>>> = {
  up,
  down: (options) => stopStack(options, print),
  reset: (options) => resetStack(options, print),
};

const main = async (name: string): Promise<void> => {
  const command = commands[name];
  if (command === undefined) throw new Error(`usage: ${Object.keys(commands).join(' | ')}`);
  const options = readStackOptions(repository, process.env);
  await withStackLock(options.paths.home, () => command(options));
};

try {
  await main(process.argv[2] ?? '');
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
