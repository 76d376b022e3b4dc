import { isAbsolute, join } from 'node:path';
import { parseArgs } from 'node:util';
import { profileNames, type ProfileName } from '../lib/settings.ts';

const suiteNames = ['rate-limits', 'price-cadence'] as const;
export type SuiteName = (typeof suiteNames)[number];

type Environment = Readonly<Record<string, string | undefined>>;

interface RunnerOptions {
  /** In the order in which they start. */
  readonly suites: readonly [SuiteName, ...SuiteName[]];
  readonly profile: ProfileName;
  /** The local stack's file of addresses. */
  readonly endpointsFile: string;
}

const oneOf = <T extends string>(what: string, text: string, all: readonly T[]): T => {
  const found = all.find((word) => word === text);
  if (found === undefined) throw new Error(`no ${what} "${text}": ${all.join(', ')}`);
  return found;
};

/**
 * Reads `--suite` and `--profile`, each of which may be empty, and `STACK_HOME`.
 * @throws Error of one line.
 */
export const readRunnerOptions = (
  args: readonly string[],
  env: Environment,
  repository: string,
): RunnerOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: 'string', default: '' },
      profile: { type: 'string', default: '' },
    },
  });
  const home = env['STACK_HOME'] ?? '';
  const stackHome = home === '' ? '.dev' : home;
  const folder = isAbsolute(stackHome) ? stackHome : join(repository, stackHome);
  return {
    suites: values.suite === '' ? suiteNames : [oneOf('suite', values.suite, suiteNames)],
    profile: oneOf('profile', values.profile === '' ? 'smoke' : values.profile, profileNames),
    endpointsFile: join(folder, 'endpoints.json'),
  };
};
