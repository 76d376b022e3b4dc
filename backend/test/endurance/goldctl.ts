import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { writeStackFiles } from '../../dev/stack/stack-files.ts';
import { stackPaths } from '../../dev/stack/stack-paths.ts';
import type { Ground } from './ground.ts';

const repository = join(import.meta.dirname, '..', '..', '..');

export type Goldctl = (...args: readonly string[]) => Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}>;

/** The maximum size of an output, in bytes. Reports with many rows are long. */
const maxBuffer = 64 * 1024 * 1024;

/** Describes a ground as `make up` describes its stack, so that goldctl finds it. */
export const openGoldctl = ({ home, addresses }: Ground, log: (line: string) => void): Goldctl => {
  writeStackFiles(stackPaths(repository, home), addresses);
  const env = { ...process.env, STACK_HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
  const program = join(repository, 'cli', 'bin', 'goldctl.mjs');
  const options = { env, cwd: repository, maxBuffer };
  return (...args) =>
    new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        // Exit code 3 is that of a report with findings, which needs no message.
        const [message = ''] = code === 0 || code === 3 ? [] : stderr.trim().split('\n').slice(-2);
        log(`$ goldctl ${args.join(' ')}: ${code} ${message}`.trimEnd());
        resolve({ code, stdout, stderr });
      });
    });
};
