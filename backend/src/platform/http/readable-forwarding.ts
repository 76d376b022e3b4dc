import type { RequestHandler } from 'express';
import { isAddress } from './client-address.ts';

/**
 * Forgets an `X-Forwarded-For` that has no IP address where the client's is to be: the client's
 * address is the connection's then, and no text of a stranger gets into a log or a counter.
 */
export const readableForwarding: RequestHandler = (req, _res, next) => {
  if (req.headers['x-forwarded-for'] !== undefined && !isAddress(req.ip)) {
    delete req.headers['x-forwarded-for'];
  }
  next();
};
