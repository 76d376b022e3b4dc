import type { z } from 'zod';
import { namesBelow } from './config-keys.ts';
import type { Problem } from './problem.ts';
import { brokenRules } from './rules.ts';
import { stackConfigSchema, type StackConfig } from './stack-config.ts';

/** The prefix of this project's keys in Pulumi's configuration. */
export const keyPrefix = 'digital-gold:';

/** Lists what is wrong with a stack's configuration, one line for each key, never with a secret. */
export class StackConfigError extends Error {
  override readonly name = 'StackConfigError';
}

/**
 * Pulumi hands every value over as text: an object, a number or a flag as JSON, a text as it is.
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

/**
 * Checks a stack's configuration: each key first, then what they must agree on.
 * @param texts Pulumi's whole configuration, key to text; other projects' keys are left alone.
 * @param secretKeys The keys that Pulumi keeps encrypted.
 * @throws StackConfigError naming every key that is wrong and what is allowed there.
 */
export const parseStackConfig = (
  texts: Readonly<Record<string, string>>,
  secretKeys: readonly string[],
): StackConfig => {
  const own = Object.entries(texts).filter(([key]) => key.startsWith(keyPrefix));
  const input = Object.fromEntries(
    own.map(([key, text]) => {
      const name = key.slice(keyPrefix.length);
      return [name, valueOf(name, text)];
    }),
  );
  const secretsKey = `${keyPrefix}secrets`;
  if (secretsKey in texts && !secretKeys.includes(secretsKey)) {
    return refuse([{ path: 'secrets', message: 'is in clear; set each of them with --secret' }]);
  }
  const parsed = stackConfigSchema.safeParse(input, { error: isMissing });
  if (!parsed.success) return refuse(parsed.error.issues.flatMap(problemsOf));
  const broken = brokenRules(parsed.data);
  return broken.length > 0 ? refuse(broken) : parsed.data;
};
