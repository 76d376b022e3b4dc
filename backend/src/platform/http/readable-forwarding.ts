import { isIP } from 'node:net';
import type { RequestHandler } from 'express';

/** A zone, `fe80::1%x`, is free text and means nothing outside the host that wrote it. */
const isAddress = (text: string | undefined): boolean =>
  text !== undefined && isIP(text) !== 0 && !text.includes('%');

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
