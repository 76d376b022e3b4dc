import type { ExitCode } from './io/exit-codes.ts';

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
