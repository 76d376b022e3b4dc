import type { RequestHandler } from 'express';
import { AppError } from '../errors/app-error.ts';

/** The host of a `Host` header: lower case, without port and last dot. */
const hostnameOf = (host: string | undefined): string =>
  (host ?? '').toLowerCase().replace(/:\d*$/u, '').replace(/\.$/u, '');

/** 404 unless `Host` is one of the internal names (contract: conventions > Metrics). */
export const internalOnly =
  (internalHostnames: readonly string[]): RequestHandler =>
  (req, _res, next) => {
    if (internalHostnames.includes(hostnameOf(req.get('host')))) next();
    else throw new AppError('NOT_FOUND');
  };
