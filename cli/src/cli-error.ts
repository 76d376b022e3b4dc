/** goldctl's exit codes, on which scripts rely (docs/goldctl.md). */
export const exitCodes = {
  done: 0,
  /** Something unexpected, or the API refused. */
  failed: 1,
  /** The command line is wrong, or a prompt is needed and there is no terminal. */
  usage: 2,
  /** The command did its work and found something: a failed check, a reconciliation finding. */
  findings: 3,
  /** Not signed in, or not permitted. */
  denied: 4,
  /** The API, the cluster or the CI does not answer. */
  unreachable: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * Ends a command: `main` prints the message, and the hint below it, to standard error and exits
 * with the code. The message is for people and holds no secret.
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
