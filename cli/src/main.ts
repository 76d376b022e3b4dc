import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from './cli-error.ts';
import { createTerminalDeps } from './io/terminal.ts';
import { runGoldctl } from './run-goldctl.ts';

/** The version, which the build inserts. */
declare const GOLDCTL_VERSION: string;

const interruption = new AbortController();
let endedBy: number | undefined;

for (const [signal, code] of [
  ['SIGINT', exitCodes.interrupted],
  ['SIGTERM', exitCodes.terminated],
] as const) {
  process.on(signal, () => {
    // A second signal ends the process at once, without cleaning up.
    if (endedBy !== undefined) process.exit(code);
    endedBy = code;
    interruption.abort(new Error('interrupted'));
  });
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader such as `head` has closed the pipe.
  process.exit(error.code === 'EPIPE' ? exitCodes.done : exitCodes.failed);
});

/** The folder of the repository or image, if the bundle is in one. */
const bundleRoot = join(import.meta.dirname, '..', '..');

const deps = createTerminalDeps({
  env: process.env,
  signal: interruption.signal,
  repository: existsSync(join(bundleRoot, 'backend')) ? bundleRoot : process.cwd(),
  version: GOLDCTL_VERSION,
});
const code = await runGoldctl(process.argv.slice(2), deps);
process.exit(endedBy ?? code);
