/** goldctl's exit codes, on which scripts rely. */
export const exitCodes = {
  done: 0,
  /** An unexpected error, or a refusal of the API. */
  failed: 1,
  /** The command line is wrong, or a prompt is needed and there is no terminal. */
  usage: 2,
  /** The command has run and has findings, such as a failed check. */
  findings: 3,
  /** Not signed in, or not permitted. */
  denied: 4,
  /** The API, the cluster or the CI system does not respond. */
  unreachable: 5,
  /** The wait ended before its condition held. */
  timedOut: 124,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each exit code, for `goldctl help --json`. */
export const exitCodeMeanings: Readonly<Record<ExitCode, string>> = {
  [exitCodes.done]: 'done',
  [exitCodes.failed]: 'failed: something unexpected, or the API refused',
  [exitCodes.usage]: 'wrong usage, or a prompt without a terminal',
  [exitCodes.findings]: 'findings: a failed check, or books that disagree',
  [exitCodes.denied]: 'not signed in, or not permitted',
  [exitCodes.unreachable]: 'the API, the cluster or the CI system does not answer',
  [exitCodes.timedOut]: 'what was waited for did not come in time',
  [exitCodes.interrupted]: 'interrupted',
  [exitCodes.terminated]: 'ended by SIGTERM',
};

/**
 * Ends a command. The message and the hint are printed to standard error, and goldctl exits with the
 * code. The message is for people and must not contain a secret.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, exitCode: ExitCode, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}
