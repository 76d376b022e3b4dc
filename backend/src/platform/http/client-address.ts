import type { IncomingMessage } from 'node:http';
import { ipKeyGenerator } from 'express-rate-limit';

/**
 * Returns the address of the client behind `trustedHops` proxies, as Express's `trust proxy` finds
 * it: for requests that do not go through Express.
 */
export const clientAddress = (req: IncomingMessage, trustedHops: number): string => {
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',');
  const hops = forwarded.split(',').map((entry) => entry.trim());
  const known = hops.filter((entry) => entry !== '').toReversed();
  const chain = [req.socket.remoteAddress ?? '', ...known];
  return chain[Math.min(trustedHops, chain.length - 1)] ?? '';
};

/** Returns what counts as one address: an IPv4 address, or the /64 that an IPv6 client is given. */
export const addressGroup = (address: string): string => ipKeyGenerator(address, 64);
