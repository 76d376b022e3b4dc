import type { CliDeps } from '../cli-deps.ts';
import type { Context } from '../contexts/context.ts';
import { readEndpoints } from '../contexts/local-stack.ts';
import { findSources } from '../configuration/sources.ts';
import { describedVariables } from '../configuration/variables.ts';

/** The secret variables of goldctl's own environment. */
const ownNames = ['GOLDCTL_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a secret and its parts. A list consists of several secrets, and a key begins with its id. */
const partsOf = (value: string): string[] => [
  value,
  ...value.split(',').flatMap((part) => [part, ...part.split(':').slice(1)]),
];

/** Matches the password of an address, even of an address with several hosts, which is not a URL. */
const passwordOf = /^[\w+.-]+:\/\/[^:@/]*:(?<password>[^@/]*)@/u;

const decodeIfPossible = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const passwordIn = (value: string): string[] => {
  const { password } = passwordOf.exec(value)?.groups ?? {};
  return password === undefined ? [] : [password, decodeIfPossible(password)];
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

/** Returns the secrets of goldctl's environment and of a local stack. A cluster's are never read. */
export const knownSecrets = async (deps: CliDeps, context: Context): Promise<string[]> => {
  const secrets = [...secretsIn(deps.env), ...(await ofStack(deps, context))];
  return [...new Set(secrets)].filter((secret) => secret !== '');
};
