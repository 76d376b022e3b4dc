import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeStackFiles } from '../../../backend/dev/stack/stack-files.ts';
import { stackPaths } from '../../../backend/dev/stack/stack-paths.ts';
import { callTestServers } from '../../../backend/test/support/call-test-servers.ts';
import type { TestStack } from '../../../backend/test/support/test-stack.ts';

export const repository = join(import.meta.dirname, '..', '..', '..');

/** The files by which goldctl finds a local stack, and a place for its sign-ins. */
export interface StackHome {
  /** The environment of goldctl. */
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly configHome: string;
  remove(): void;
}

/** Describes a test's stack as `make up` describes its own, and builds the operator command. */
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
