import { join } from 'node:path';
import { writeStackFiles } from '../../dev/stack/stack-files.ts';
import { stackPaths } from '../../dev/stack/stack-paths.ts';
import { runCommand } from '../../dev/stack/run-command.ts';
import type { Ground } from './ground.ts';

const repository = join(import.meta.dirname, '..', '..', '..');

export type Goldctl = (
  ...args: readonly string[]
) => Promise<{ readonly code: number; readonly output: string }>;

/** Describes a ground as `make up` describes its stack, so that goldctl finds it. */
export const openGoldctl = ({ home, addresses }: Ground, log: (line: string) => void): Goldctl => {
  writeStackFiles(stackPaths(repository, home), addresses);
  const env = { ...process.env, STACK_HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
  const program = join(repository, 'cli', 'bin', 'goldctl.mjs');
  return async (...args) => {
    const found = await runCommand(process.execPath, [program, ...args], { env, cwd: repository });
    const [said = ''] = found.code === 2 ? found.output.split('\n') : [];
    log(`$ goldctl ${args.join(' ')}: ${found.code} ${said}`.trimEnd());
    return found;
  };
};
