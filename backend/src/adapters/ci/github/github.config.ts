import { z } from 'zod';
import { list, httpUrl, integer, secret } from '../../../platform/config/kinds.ts';
import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { deployTargets, type DeployTarget } from '../port.ts';

/** The repository of each target. */
type Repositories = Readonly<Record<DeployTarget, string>>;

const repositoryName = /^(?!\.{1,2}$)[\w.-]{1,100}$/u;
const targetNames: ReadonlySet<string> = new Set(deployTargets);

/** Creates the schema of the login of a user or an organisation. */
const githubOwner = () =>
  z.string().regex(/^[A-Za-z\d](?:[A-Za-z\d-]{0,38})$/u, 'must be the login of an account');

const readRepositories = (
  entries: readonly string[],
): Repositories | { readonly problem: string } => {
  const byTarget = new Map<string, string>();
  for (const entry of entries) {
    const [left = '', right] = entry.split('=', 2);
    const [target, name] = right === undefined ? ['', left] : [left, right];
    if (target !== '' && !targetNames.has(target)) return { problem: `${target} is no target` };
    if (right !== undefined && target === '') return { problem: `${entry} names no target` };
    if (!repositoryName.test(name)) return { problem: `"${name}" is no repository's name` };
    if (byTarget.has(target)) return { problem: `${target || 'the rest'} is given twice` };
    byTarget.set(target, name);
  }
  const nameFor = (target: DeployTarget): string => byTarget.get(target) ?? byTarget.get('') ?? '';
  const missing = deployTargets.filter((target) => nameFor(target) === '');
  if (missing.length > 0) return { problem: `names no repository of ${missing.join(', ')}` };
  return {
    backend: nameFor('backend'),
    website: nameFor('website'),
    'admin-portal': nameFor('admin-portal'),
    monitoring: nameFor('monitoring'),
  };
};

/** `service`, or `service,website=site`: the repository of each target. */
const githubRepositories = () =>
  list('').transform((entries, context): Repositories => {
    const read = readRepositories(entries);
    if (!('problem' in read)) return read;
    context.addIssue({ code: 'custom', message: read.problem });
    return z.NEVER;
  });

export const githubVariables = defineVariables({
  GITHUB_API_URL: {
    schema: httpUrl().default('https://api.github.com'),
    doc: "address of GitHub's REST API",
  },
  GITHUB_TOKEN: {
    schema: secret().optional(),
    doc: 'token that may read and write Actions; without one nothing is listed or deployed',
    secret: true,
  },
  GITHUB_OWNER: {
    schema: githubOwner().optional(),
    doc: 'account that owns the repositories; needed with a token',
  },
  GITHUB_REPOSITORY: {
    schema: githubRepositories().optional(),
    doc:
      'repository of the deployment workflows, needed with a token; if targets have their own: ' +
      'comma-separated target=repository, with a name alone for all other targets',
  },
  GITHUB_TIMEOUT_MS: {
    schema: integer(10_000, 100, 60_000),
    doc: 'limit of one call to GitHub in milliseconds',
  },
});

export type GithubConfig = Config<typeof githubVariables>;
