import { join } from 'node:path';
import { exitCodes } from './cli-error.ts';
import { createTerminalDeps } from './io/terminal.ts';
import { runGoldctl } from './run-goldctl.ts';

/** Put in by the build. */
declare const GOLDCTL_VERSION: string;

const interruption = new AbortController();
process.on('SIGINT', () => {
  // The second one does not wait for anything to be put away.
  if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
  interruption.abort(new Error('interrupted'));
});
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader (such as head) has seen enough.
  process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
});

const deps = createTerminalDeps({
  env: process.env,
  signal: interruption.signal,
  repository: join(import.meta.dirname, '..', '..'),
  version: GOLDCTL_VERSION,
});
const code = await runGoldctl(process.argv.slice(2), deps);
process.exit(interruption.signal.aborted ? exitCodes.interrupted : code);
