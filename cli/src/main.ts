import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from './cli-error.ts';
import { createTerminalDeps } from './io/terminal.ts';
import { runGoldctl } from './run-goldctl.ts';

/** Put in by the build. */
declare const GOLDCTL_VERSION: string;

const interruption = new AbortController();
let endedBy: number | undefined;

for (const [signal, code] of [
  ['SIGINT', exitCodes.interrupted],
  ['SIGTERM', exitCodes.terminated],
] as const) {
  process.on(signal, () => {
    // The second one does not wait for anything to be put away.
    if (endedBy !== undefined) process.exit(code);
    endedBy = code;
    interruption.abort(new Error('interrupted'));
  });
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader (such as head) has seen enough.
  process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
});

/**
 * The repository or the image that contains the bundle. If the bundle is installed without them,
 * the working folder.
 */
const around = join(import.meta.dirname, '..', '..');

const deps = createTerminalDeps({
  env: process.env,
  signal: interruption.signal,
  repository: existsSync(join(around, 'backend')) ? around : process.cwd(),
  version: GOLDCTL_VERSION,
});
const code = await runGoldctl(process.argv.slice(2), deps);
process.exit(endedBy ?? code);
