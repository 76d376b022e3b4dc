import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { DeployTarget } from '../deploys/deploy-targets.ts';

export interface GithubConnection {
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

/**
 * Parses `repository` or `repository,target=repository`, such as `service,website=site`: the first is
 * for all other targets. The admin API accepts the same form.
 */
const readRepositories = (text: string): ReadonlyMap<string, string> => {
  const entries = text.split(',').map((entry): readonly [string, string] => {
    const [first = '', second] = entry.trim().split('=', 2);
    return second === undefined ? ['', first] : [first, second];
  });
  return new Map(entries.filter(([, name]) => name !== ''));
};

const apiUrlOf = (text: string): string => {
  const isUrl = URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol);
  if (!isUrl) throw usage('GITHUB_API_URL is not a URL');
  return text.replace(/\/+$/u, '');
};

/**
 * Reads the repository of the workflows and the token that starts them. GitHub sets
 * GITHUB_REPOSITORY to `owner/name` in its workflows, so that is accepted too.
 * @throws CliError denied without a token, usage for a value that is not valid.
 */
export const readGithubConnection = (env: Environment): GithubConnection => {
  const token = env['GITHUB_TOKEN'] ?? '';
  if (token === '') {
    throw new CliError(
      'GITHUB_TOKEN is not set',
      exitCodes.denied,
      '--direct needs a token that may read and write Actions. ' +
        'Leave out --direct to deploy through the admin API.',
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
      if (repository === undefined)
        throw usage(`GITHUB_REPOSITORY has no repository for ${target}`);
      return repository;
    },
  };
};

/** Returns the status of a response, or undefined if there was no response. */
const statusOf = (error: Error): number | undefined =>
  'status' in error && typeof error.status === 'number' && 'response' in error && error.response
    ? error.status
    : undefined;

const exitCodeOf = (status: number): ExitCode => {
  if (status === 401 || status === 403) return exitCodes.denied;
  return status === 429 || status >= 500 ? exitCodes.unreachable : exitCodes.failed;
};

const hintOf = (status: number): string | undefined => {
  if (status === 401 || status === 403) return 'The token must be able to read and write Actions.';
  if (status === 404) return 'Check GITHUB_OWNER and GITHUB_REPOSITORY.';
  return undefined;
};

const deepest = (error: Error): Error =>
  error.cause instanceof Error ? deepest(error.cause) : error;

/**
 * Converts Octokit's errors to a CliError, which never contains the token. `silenceHint` is the hint
 * for an error without a response. Returns a CliError, a non-Error and any error after an abort
 * unchanged.
 */
export const githubFailure = (
  error: unknown,
  options: { purpose: string; signal: AbortSignal; silenceHint: string },
): unknown => {
  const { purpose, signal } = options;
  if (error instanceof CliError || signal.aborted || !(error instanceof Error)) return error;
  const status = statusOf(error);
  if (status !== undefined) {
    const message = `cannot ${purpose}: GitHub answered ${status}: ${error.message}`;
    return new CliError(message, exitCodeOf(status), hintOf(status));
  }
  const { message, name } = deepest(error);
  return new CliError(
    `cannot ${purpose}: GitHub does not answer: ${message === '' ? name : message}`,
    exitCodes.unreachable,
    options.silenceHint,
  );
};
