import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeStackFiles } from '../../../backend/dev/stack/stack-files.ts';
import { stackPaths } from '../../../backend/dev/stack/stack-paths.ts';
import { callTestServers } from '../../../backend/test/support/call-test-servers.ts';
import type { TestStack } from '../../../backend/test/support/test-stack.ts';

export const repository = join(import.meta.dirname, '..', '..', '..');

/**
 * The files with which goldctl finds a local stack, and the folder in which goldctl stores its
 * sessions.
 */
export interface StackHome {
  /** The environment of goldctl. */
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly configHome: string;
  remove(): void;
}

/**
 * Writes for the test's stack the files that `make up` writes for a stack, and builds the backend's
 * operator command, which goldctl runs.
 */
export const writeStackHome = async (stack: TestStack): Promise<StackHome> => {
  await callTestServers('POST', '/builds/operator');
  const folder = mkdtempSync(join(tmpdir(), 'goldctl-test-'));
  const home = join(folder, 'stack');
  const configHome = join(folder, 'config');
  writeStackFiles(stackPaths(repository, home), stack.addresses);
  return {
    env: { STACK_HOME: home, XDG_CONFIG_HOME: configHome },
    home,
    configHome,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
