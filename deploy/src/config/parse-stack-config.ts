import type { z } from 'zod';
import { namesBelow } from './config-keys.ts';
import type { Problem } from './problem.ts';
import type { Releases } from './release.ts';
import { brokenRules } from './rules.ts';
import { stackConfigSchema, type StackConfig, type StackKeys } from './stack-config.ts';

/** The prefix of this project's keys in Pulumi's configuration. */
export const keyPrefix = 'digital-gold:';

/** Lists the problems of a stack's configuration, one line for each key, never with a secret. */
export class StackConfigError extends Error {
  override readonly name = 'StackConfigError';
}

/**
 * Returns the value of a key. Pulumi passes every value as text. An object, a number or a flag is
 * JSON, and a text is unchanged.
 */
const valueOf = (key: string, text: string): unknown => {
  const shape: Readonly<Record<string, z.ZodType>> = stackConfigSchema.shape;
  if (shape[key]?.safeParse(text).success === true) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const pathOf = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const problemsOf = (issue: z.core.$ZodIssue): readonly Problem[] => {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key]),
      message: `is not a known key; allowed are ${namesBelow(path).join(', ')}`,
    }));
  }
  if (issue.code === 'invalid_key') {
    return [{ path, message: issue.issues.map((inner) => inner.message).join('; ') }];
  }
  return [{ path, message: issue.message }];
};

const refuse = (problems: readonly Problem[]): never => {
  const lines = problems.map(({ path, message }) => `  ${keyPrefix}${path} ${message}`);
  throw new StackConfigError(['The configuration of the stack is refused:', ...lines].join('\n'));
};

const isMissing = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.input === undefined ? 'is missing' : undefined;

/** The keys whose values must be encrypted in the stack's file. */
const alwaysSecret = ['secrets', 'kubeconfig'] as const;

const plainSecrets = (
  texts: Readonly<Record<string, string>>,
  secretKeys: readonly string[],
): readonly Problem[] => {
  const isIn = (path: string) => `${keyPrefix}${path}` in texts;
  const isEncrypted = (path: string) => secretKeys.includes(`${keyPrefix}${path}`);
  return [
    ...alwaysSecret
      .filter((path) => isIn(path) && !isEncrypted(path))
      .map((path) => ({
        path,
        message:
          path === 'secrets'
            ? 'is in clear; set each of them with --secret'
            : 'is in clear; set it with --secret',
      })),
    ...(isIn('values') && isEncrypted('values')
      ? [
          {
            path: 'values',
            message:
              "holds a secret, and the chart's values are in clear; use `secrets` or `secretsFrom`",
          },
        ]
      : []),
  ];
};

/** The chart of this repository, from the folder where Pulumi runs the program. */
const ownChart = '../../charts/digital-gold';

const releaseIsThere = ({ release }: StackKeys, releases: Releases): readonly Problem[] => {
  if (release === undefined || releases.read(release) !== undefined) return [];
  const known = releases.versions().join(', ') || 'none';
  return [{ path: 'release', message: `${release} has no file in releases/; there are: ${known}` }];
};

/** Replaces the release by the chart and the image that it names. */
const withRelease = (keys: StackKeys, releases: Releases): StackConfig => {
  const release = keys.release === undefined ? undefined : releases.read(keys.release);
  const { repository, tag, ...image } = { ...keys.image, ...release?.image };
  // The rules ensure this. The check is for the compiler.
  if (repository === undefined || tag === undefined) throw new Error('the image has no name');
  const chart =
    release === undefined
      ? { chart: ownChart }
      : {
          chart: release.chart.source,
          ...(release.chart.version === undefined ? {} : { version: release.chart.version }),
        };
  return { ...keys, chart, image: { ...image, repository, tag } };
};

/**
 * Checks a stack's configuration: first each key, then the rules that involve several keys.
 * @param texts Pulumi's whole configuration, key to text. Other projects' keys are ignored.
 * @param secretKeys The keys that Pulumi keeps encrypted.
 * @throws StackConfigError naming every wrong key and the values that it may have.
 */
export const parseStackConfig = (
  texts: Readonly<Record<string, string>>,
  secretKeys: readonly string[],
  releases: Releases,
): StackConfig => {
  const own = Object.entries(texts).filter(([key]) => key.startsWith(keyPrefix));
  const input = Object.fromEntries(
    own.map(([key, text]) => {
      const name = key.slice(keyPrefix.length);
      return [name, valueOf(name, text)];
    }),
  );
  const inClear = plainSecrets(texts, secretKeys);
  if (inClear.length > 0) return refuse(inClear);
  const parsed = stackConfigSchema.safeParse(input, { error: isMissing });
  if (!parsed.success) return refuse(parsed.error.issues.flatMap(problemsOf));
  const broken = [...brokenRules(parsed.data), ...releaseIsThere(parsed.data, releases)];
  return broken.length > 0 ? refuse(broken) : withRelease(parsed.data, releases);
};
