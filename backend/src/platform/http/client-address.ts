import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/**
 * Tells an IP address from other text. A zone, `fe80::1%x`, is free text and means nothing outside
 * the host that wrote it.
 */
const isAddress = (text: string | undefined): boolean =>
  text !== undefined && isIP(text) !== 0 && !text.includes('%');

/**
 * Returns the address of the client behind `trustedHops` proxies, as Express's `trust proxy` finds
 * it: for requests that do not go through Express. Where that entry is no address, it is the
 * socket's.
 */
export const clientAddress = (req: IncomingMessage, trustedHops: number): string => {
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',');
  const hops = forwarded.split(',').map((entry) => entry.trim());
  const known = hops.filter((entry) => entry !== '').toReversed();
  const own = req.socket.remoteAddress ?? '';
  const chain = [own, ...known];
  const found = chain[Math.min(trustedHops, chain.length - 1)] ?? '';
  return isAddress(found) ? found : own;
};

/** Returns what counts as one address: an IPv4 address, or the /64 that an IPv6 client is given. */
export const addressGroup = (address: string): string => ipKeyGenerator(address, 64);

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
