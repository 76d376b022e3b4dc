import { CliError } from '../cli-error.ts';
import { exitCodes, type ExitCode } from '../io/exit-codes.ts';

/** What an API said when it refused. */
export interface Refusal {
  readonly status: number;
  /** The stable code of its error table; undefined when it answered something else than one. */
  readonly code: string | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

const exitCodeOf = (status: number): ExitCode =>
  status === 401 || status === 403 ? exitCodes.denied : exitCodes.failed;

const hintOf = (refusal: Refusal): string | undefined => {
  const { code, retryAfterSeconds, requestId } = refusal;
  if (code === 'UNAUTHENTICATED') return 'Sign in with "goldctl login".';
  if (retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  return requestId === undefined ? undefined : `The logs have it under request ${requestId}.`;
};

/** An API's refusal, as the end of a command. */
export class ApiError extends CliError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    const { status, code, message } = refusal;
    super(`${message} (${code ?? `HTTP ${status}`})`, exitCodeOf(status), hintOf(refusal));
    this.refusal = refusal;
  }
}
