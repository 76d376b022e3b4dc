import { CliError } from '../cli-error.ts';
import { exitCodes, type ExitCode } from '../io/exit-codes.ts';

/** Octokit tells an answer from silence by whether its error has a response. */
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
  if (status === 404) return 'Is it the right GITHUB_OWNER and GITHUB_REPOSITORY?';
  return undefined;
};

const deepest = (error: Error): Error =>
  error.cause instanceof Error ? deepest(error.cause) : error;

/**
 * What Octokit threw, as the end of a command; `silenceHint` says what to do when nobody answered.
 * Never shows the token.
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
