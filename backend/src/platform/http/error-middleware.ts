import type { ErrorRequestHandler } from 'express';
import { DataKeyDestroyedError, KeysUnavailableError } from '../crypto/index.ts';
import { isDatabaseBusy, isDatabaseOutOfReach } from '../db/errors.ts';
import { AppError } from '../errors/app-error.ts';
import { jsonDisposition } from './security-headers.ts';

interface ErrorLog {
  error(fields: object, message: string): void;
}

/**
 * The seconds after which a client may retry. By then, the lock or statement that a request waited
 * for is usually gone.
 */
const busySeconds = 2;

/** Turns a thrown value into the error that the client sees. An unforeseen error is INTERNAL. */
export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  // A path whose %-escapes can't be decoded names no resource.
  if (error instanceof URIError) return new AppError('NOT_FOUND');
  // The account was deleted after the guard had read it.
  if (error instanceof DataKeyDestroyedError) return new AppError('UNAUTHENTICATED');
  if (error instanceof KeysUnavailableError) {
    return new AppError('SERVICE_UNAVAILABLE', { cause: error });
  }
  if (isDatabaseOutOfReach(error)) return new AppError('SERVICE_UNAVAILABLE', { cause: error });
  if (isDatabaseBusy(error)) {
    return new AppError('BUSY', { retryAfterSeconds: busySeconds, cause: error });
  }
  return new AppError('INTERNAL', { cause: error });
};

/**
 * Returns the body of an error (contract: conventions > Errors). It never has a stack, SQL or a
 * provider's raw body.
 */
const errorBody = (error: AppError, requestId: string) => ({
  error: {
    code: error.code,
    message: error.message,
    ...(error.field !== undefined && { field: error.field }),
    ...(error.details !== undefined && { details: error.details }),
    requestId,
  },
});

/** Sends every error response of an API. */
export const errorMiddleware =
  (logger: ErrorLog, onBusy?: () => void): ErrorRequestHandler =>
  (thrown, req, res, next) => {
    const error = toAppError(thrown);
    if (error !== thrown && error.code === 'BUSY') onBusy?.();
    if (error.reportable) {
      const { requestId } = req;
      logger.error({ err: error.cause ?? error, code: error.code, requestId }, 'request failed');
    }
    if (res.headersSent) {
      next(thrown);
      return;
    }
    res.setHeader('content-disposition', jsonDisposition);
    res.status(error.status).set(error.headers).json(errorBody(error, req.requestId));
  };
