import { isAbsolute, join } from 'node:path';
import { parseArgs } from 'node:util';
import { profileNames, type ProfileName } from '../lib/settings.ts';
import { journeyProfiles } from '../profiles/journeys.ts';
import { priceCadenceProfiles } from '../profiles/price-cadence.ts';
import { rateLimitProfiles } from '../profiles/rate-limits.ts';

const profilesOf = {
  'rate-limits': rateLimitProfiles,
  'price-cadence': priceCadenceProfiles,
  journeys: journeyProfiles,
} as const;
export const suiteNames = ['rate-limits', 'price-cadence', 'journeys'] as const;
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
  const profile = oneOf('profile', values.profile === '' ? 'smoke' : values.profile, profileNames);
  const having = suiteNames.filter((suite) => profile in profilesOf[suite]);
  const [suite, ...others] =
    values.suite === '' ? having : [oneOf('suite', values.suite, suiteNames)];
  if (suite === undefined || !(profile in profilesOf[suite])) {
    const known = Object.keys(profilesOf[suite ?? 'journeys']).join(', ');
    throw new Error(`${suite ?? 'no suite'} has no profile "${profile}": ${known}`);
  }
  return {
    suites: [suite, ...others],
    profile,
    endpointsFile: join(folder, 'endpoints.json'),
  };
};
