import type { CliDeps } from '../cli-deps.ts';
import type { Context } from '../contexts/context.ts';
import { readEndpoints } from '../contexts/local-stack.ts';
import { findSources } from '../configuration/sources.ts';
import { describedVariables } from '../configuration/variables.ts';

/** Secrets of goldctl's own environment. */
const ownNames = ['GOLDCTL_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN'];

type Environment = Readonly<Record<string, string | undefined>>;

/** A list is several secrets, and a key has its id before it. */
const partsOf = (value: string): string[] => [
  value,
  ...value.split(',').flatMap((part) => [part, ...part.split(':').slice(1)]),
];

/**
 * Matches the password of an address. An address with several hosts matches too, although no parser
 * takes it for a URL.
 */
const passwordOf = /^[\w+.-]+:\/\/[^:@/]*:(?<password>[^@/]*)@/u;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const passwordIn = (value: string): string[] => {
  const { password } = passwordOf.exec(value)?.groups ?? {};
  return password === undefined ? [] : [password, decoded(password)];
};

const secretsIn = (env: Environment): string[] => {
  const names = [
    ...ownNames,
    ...describedVariables().flatMap(({ name, isSecret }) => (isSecret ? [name] : [])),
  ];
  return names.flatMap((name) => {
    const value = env[name] ?? '';
    return value === '' ? [] : [...partsOf(value), ...passwordIn(value)];
  });
};

const processes = ['customer', 'admin', 'accounting', 'worker'];

const ofStack = async (deps: CliDeps, context: Context): Promise<string[]> => {
  if (context.kind !== 'local') return [];
  try {
    const all = await Promise.all(processes.map((name) => findSources(deps, context, name)));
    const given = all.flatMap((sources) => [...sources.given]);
    const password = readEndpoints(context).admins?.SUPER_ADMIN.password;
    return [
      ...given.flatMap(([name, { value }]) => secretsIn({ [name]: value })),
      ...(password === undefined ? [] : [password]),
    ];
  } catch {
    return [];
  }
};

/** Returns the secrets that can be known from here. Those of a cluster are never read. */
export const knownSecrets = async (deps: CliDeps, context: Context): Promise<string[]> => {
  const secrets = [...secretsIn(deps.env), ...(await ofStack(deps, context))];
  return [...new Set(secrets)].filter((secret) => secret !== '');
};
