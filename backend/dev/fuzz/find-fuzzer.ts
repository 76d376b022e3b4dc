import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runOrThrow } from '../stack/run-command.ts';

/**
 * Returns the path of the fuzzer. The first call installs it into `.tools`, in the pinned versions
 * of requirements.txt.
 * @throws Error if there is no Python with its package installer
 */
export const findFuzzer = async (repository: string): Promise<string> => {
  const folder = join(repository, '.tools', 'schemathesis');
  const fuzzer = join(folder, 'bin', 'schemathesis');
  if (existsSync(fuzzer)) return fuzzer;
  await runOrThrow('python3', ['-m', 'venv', '--clear', folder]);
  const requirements = join(import.meta.dirname, 'requirements.txt');
  const pip = join(folder, 'bin', 'pip');
  await runOrThrow(pip, ['install', '--quiet', '--no-deps', '--requirement', requirements]);
  return fuzzer;
};
