import { errorTable, type ErrorCode, type ErrorRow } from '../../errors/error-table.ts';

/** An invalid field of the request, as listed in `details` of the error response. */
export interface FieldIssue {
  readonly field: string;
  readonly message: string;
}

interface AppErrorOptions {
  /** Replaces the table's message. Clients see it, so it must not hold secrets or provider text. */
  readonly message?: string;
  /** The first offending input, as a dotted path. */
  readonly field?: string;
  readonly details?: unknown;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The cause is only logged. Clients never see it. */
  readonly cause?: unknown;
}

/**
 * The only error that handlers and services throw on purpose. One middleware turns it into the
 * error response.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly details: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const row: ErrorRow = errorTable[code];
    super(options.message ?? row.message, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.details = options.details;
    const retryAfter = options.retryAfterSeconds;
    this.headers = {
      ...options.headers,
      ...(retryAfter !== undefined && {
        'retry-after': String(Math.max(1, Math.ceil(retryAfter))),
      }),
    };
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  get reportable(): boolean {
    const row: ErrorRow = errorTable[this.code];
    return row.reportable === true;
  }
}

/** Returns true for an AppError. If `code` is given, the error must have that code. */
export const isAppError = (error: unknown, code?: ErrorCode): error is AppError =>
  error instanceof AppError && (code === undefined || error.code === code);
