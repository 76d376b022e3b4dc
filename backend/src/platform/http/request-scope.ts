import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { Random } from '../ids/random.ts';

/**
 * Returns true for an IP address without a zone. A zone (`%x` in `fe80::1%x`) is free text and
 * means nothing outside the host that wrote it.
 */
const isAddress = (text: string | undefined): boolean =>
  text !== undefined && isIP(text) !== 0 && !text.includes('%');

const withPort = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/u;

/** Returns an entry of `X-Forwarded-For` without the port that some proxies add to it. */
const withoutPort = (entry: string): string => {
  const found = withPort.exec(entry.trim());
  return found?.[1] ?? found?.[2] ?? entry.trim();
};

/**
 * Returns the address of the client behind `trustedHops` proxies, as Express's `trust proxy` finds
 * it. It is for requests that do not go through Express. If that entry is not an address, the
 * socket's address is returned.
 */
export const clientAddress = (req: IncomingMessage, trustedHops: number): string => {
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',');
  const hops = forwarded.split(',').map(withoutPort);
  const forwardedHops = hops.filter((entry) => entry !== '').toReversed();
  const own = req.socket.remoteAddress ?? '';
  const chain = [own, ...forwardedHops];
  const found = chain[Math.min(trustedHops, chain.length - 1)] ?? '';
  return isAddress(found) ? found : own;
};

/**
 * The bits that the addresses of an IPv6 client share. A host has 64 bits, a household 56 and a
 * provider's site 48.
 */
type Ipv6Bits = 64 | 56 | 48;

/**
 * Returns the address by which a client is counted, which is an IPv4 address or the /64 of an IPv6
 * client. Use a wider group of IPv6 addresses for limits that a client must not avoid by changing
 * to another /64.
 */
export const addressGroup = (address: string, bits: Ipv6Bits = 64): string =>
  ipKeyGenerator(address, bits);

/**
 * Removes the ports from an `X-Forwarded-For`. Removes the header if the client's entry is not an
 * IP address. The client's address is then the connection's, and no text of a stranger gets into a
 * log or a counter.
 */
export const readableForwarding: RequestHandler = (req, _res, next) => {
  const forwarded = req.headers['x-forwarded-for'];
  if (forwarded !== undefined && !isAddress(req.ip)) {
    const entries = [forwarded].flat().join(',').split(',');
    req.headers['x-forwarded-for'] = entries.map(withoutPort).join(',');
    if (!isAddress(req.ip)) delete req.headers['x-forwarded-for'];
  }
  next();
};

const accepted = /^[A-Za-z0-9._-]{1,128}$/u;

/** The request, job or sweep that code runs for. */
interface Scope {
  readonly id: string;
  /** The customer whom it serves. It is set once the guard has found the customer. */
  customerId?: string;
}
const storage = new AsyncLocalStorage<Scope>();

/** Returns the id of the request (or job) that this code runs for. Log lines contain it. */
export const currentRequestId = (): string | undefined => storage.getStore()?.id;

/** Records the customer whom the current request serves. */
export const noteCustomer = (customerId: string): void => {
  const scope = storage.getStore();
  if (scope !== undefined) scope.customerId = customerId;
};

/** Returns the customer whom this code serves, or undefined for a job, a webhook or a stranger. */
export const currentCustomer = (): string | undefined => storage.getStore()?.customerId;

/** Runs `work` under a separate request id, such as a job's. */
export const withRequestId = <T>(requestId: string, work: () => T): T =>
  storage.run({ id: requestId }, work);

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
  }
}

/**
 * Accepts the client's `x-request-id`, or makes an id, and returns it as a header (contract:
 * conventions > Request ids).
 */
export const requestIdMiddleware =
  (random: Random): RequestHandler =>
  (req, res, next) => {
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && accepted.test(given) ? given : random.uuid();
    req.requestId = id;
    res.setHeader('x-request-id', id);
    storage.run({ id }, next);
  };
