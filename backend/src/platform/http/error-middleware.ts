import type { ErrorRequestHandler } from 'express';
import { DataKeyDestroyedError } from '../crypto/index.ts';
import { isDatabaseOutOfReach } from '../db/errors.ts';
import { AppError } from '../errors/app-error.ts';
import { jsonDisposition } from './security-headers.ts';

interface ErrorLog {
  error(fields: object, message: string): void;
}

const bodyParserErrors: Readonly<Record<string, AppError>> = {
  'entity.too.large': new AppError('PAYLOAD_TOO_LARGE'),
  'encoding.unsupported': new AppError('UNSUPPORTED_MEDIA_TYPE'),
  'request.aborted': new AppError('MALFORMED_JSON'),
  'request.size.invalid': new AppError('MALFORMED_JSON'),
};

const typeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'type' in error ? String(error.type) : '';

/**
 * Turns whatever was thrown into the error that the client sees; anything unforeseen is INTERNAL.
 */
export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  // A path whose %-escapes can't be decoded names nothing.
  if (error instanceof URIError) return new AppError('NOT_FOUND');
  const known = bodyParserErrors[typeOf(error)];
  if (known !== undefined) return known;
  // zlib's errors of a compressed body that is none
  const status = typeof error === 'object' && error !== null && 'status' in error && error.status;
  if (status === 400) return new AppError('MALFORMED_JSON');
  // The account was deleted after the guard had looked.
  if (error instanceof DataKeyDestroyedError) return new AppError('UNAUTHENTICATED');
  if (isDatabaseOutOfReach(error)) return new AppError('SERVICE_UNAVAILABLE', { cause: error });
  return new AppError('INTERNAL', { cause: error });
};

/** The envelope (contract: conventions > Errors): never a stack, SQL or a provider's raw body. */
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
  (logger: ErrorLog): ErrorRequestHandler =>
  (thrown, req, res, next) => {
    const error = toAppError(thrown);
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
