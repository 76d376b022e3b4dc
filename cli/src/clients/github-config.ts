import { CliError } from '../cli-error.ts';
import type { DeployTarget } from '../deploys/deploy.types.ts';
import { exitCodes } from '../io/exit-codes.ts';

export interface GithubPlace {
  readonly apiUrl: string;
  readonly token: string;
  readonly owner: string;
  repositoryOf(target: DeployTarget): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const usage = (message: string): CliError =>
  new CliError(
    message,
    exitCodes.usage,
    '--direct reads GITHUB_TOKEN, GITHUB_OWNER, GITHUB_REPOSITORY and GITHUB_API_URL.',
  );

/** `service`, or `service,website=site`: the same form that the admin API takes. */
const readRepositories = (text: string): ReadonlyMap<string, string> => {
  const entries = text.split(',').map((entry): readonly [string, string] => {
    const [left = '', right] = entry.trim().split('=', 2);
    return right === undefined ? ['', left] : [left, right];
  });
  return new Map(entries.filter(([, name]) => name !== ''));
};

const apiUrlOf = (text: string): string => {
  const isUrl = URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol);
  if (!isUrl) throw usage('GITHUB_API_URL is no address');
  return text.replace(/\/+$/u, '');
};

/**
 * Where the workflows are and with what to start them. A workflow of GitHub's own sets
 * GITHUB_REPOSITORY to `owner/name`, which is taken too.
 * @throws CliError denied without a token, usage for what can't be understood.
 */
export const readGithubPlace = (env: Environment): GithubPlace => {
  const token = env['GITHUB_TOKEN'] ?? '';
  if (token === '') {
    throw new CliError(
      'GITHUB_TOKEN is not set',
      exitCodes.denied,
      '--direct needs a token that may read and write Actions; without it the admin API deploys.',
    );
  }
  const given = env['GITHUB_REPOSITORY'] ?? '';
  const [, pathOwner, pathName] = /^([\w.-]+)\/([\w.-]+)$/u.exec(given) ?? [];
  const repositories = readRepositories(pathName ?? given);
  const owner = env['GITHUB_OWNER'] ?? pathOwner ?? '';
  if (owner === '') throw usage('GITHUB_OWNER is not set');
  return {
    apiUrl: apiUrlOf(env['GITHUB_API_URL'] ?? 'https://api.github.com'),
    token,
    owner,
    repositoryOf: (target) => {
      const repository = repositories.get(target) ?? repositories.get('');
      if (repository === undefined) throw usage(`GITHUB_REPOSITORY names none for ${target}`);
      return repository;
    },
  };
};
