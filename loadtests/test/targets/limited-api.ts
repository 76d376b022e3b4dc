import express, { type Express, type Request, type Response } from 'express';
import type { Api } from '../../lib/apis.ts';

/** The faults that a rate limit can have. */
export interface LimitFlaws {
  /** Its limit, if it is another. */
  readonly limit?: number;
  readonly noLimiter?: boolean;
  readonly noHeaders?: boolean;
  readonly noRetryAfter?: boolean;
  /** Answers 429 with a body of its own. */
  readonly bareBody?: boolean;
  /** Limits a path that is exempt. */
  readonly limitedPath?: string;
  /** Counts exempt requests, though it never refuses one. */
  readonly countsExempt?: boolean;
  /** A refused request begins the window again. */
  readonly refusalsExtend?: boolean;
  /** The window ends this much earlier than announced. */
  readonly endsEarlyMs?: number;
  /** All clients have one budget. */
  readonly oneBudget?: boolean;
  /** Believes the entry of X-Forwarded-For that the client wrote. */
  readonly believesClient?: boolean;
  readonly slowMs?: number;
  /** Answers everything that it does not refuse with this status, or only what is exempt. */
  readonly answersAll?: number;
  readonly answersExempt?: number;
  /** The bits by which IPv6 addresses are one client. */
  readonly ipv6Bits?: 48 | 56 | 64;
}

interface Window {
  hits: number;
  endsAtMs: number;
}

/**
 * Returns the first bits of an address such as `2001:db8:1:203::1`, and an IPv4 address as it is.
 */
const groupOf = (address: string, bits: number): string => {
  if (!address.includes(':')) return address;
  const groups = (address.split('::')[0] ?? '').split(':').map((group) => group.padStart(4, '0'));
  return groups.join('').slice(0, bits / 4);
};

/** Returns the client of a request: the last entry is what the hop appended. */
const clientOf = (request: Request, flaws: LimitFlaws): string => {
  if (flaws.oneBudget === true) return 'everybody';
  const entries = (request.get('x-forwarded-for') ?? '').split(',').map((entry) => entry.trim());
  const address = flaws.believesClient === true ? entries[0] : entries.at(-1);
  return groupOf(address ?? '', flaws.ipv6Bits ?? 56);
};

const refuse = (response: Response, retryAfterSeconds: number, flaws: LimitFlaws): void => {
  if (flaws.noRetryAfter !== true) response.set('retry-after', String(retryAfterSeconds));
  const envelope = { error: { code: 'RATE_LIMITED', message: 'Too many.', requestId: 'r-1' } };
  response.status(429).json(flaws.bareBody === true ? 'Too many requests' : envelope);
};

/** Counts a client's requests in windows that begin with the first. */
export const createCounter = (limit: number, windowMs: number, flaws: LimitFlaws) => {
  const windows = new Map<string, Window>();
  const current = (client: string): Window => {
    const known = windows.get(client);
    if (known !== undefined && Date.now() < known.endsAtMs - (flaws.endsEarlyMs ?? 0)) return known;
    const fresh = { hits: 0, endsAtMs: Date.now() + windowMs };
    windows.set(client, fresh);
    return fresh;
  };
  return (request: Request): Window => {
    const window = current(clientOf(request, flaws));
    window.hits += 1;
    const isExtended = window.hits > limit && flaws.refusalsExtend === true;
    if (isExtended) window.endsAtMs = Date.now() + windowMs;
    return window;
  };
};

/** Creates an API with the rate limit of `api`, except for its flaws. */
export const createLimitedApi = (
  api: Api,
  windowMs: number,
  flaws: LimitFlaws = {},
  count = createCounter(flaws.limit ?? api.limit, windowMs, flaws),
): Express => {
  const { limit = api.limit } = flaws;
  const exempt = new Set(api.exemptRequests.map(({ path }) => path));
  const all = [...api.limitedRequests, ...api.exemptRequests];
  const statuses = new Map(all.map(({ path, status }) => [path, status]));
  const answer = (request: Request, response: Response, instead = flaws.answersAll): void => {
    response.status(instead ?? statuses.get(request.path) ?? 404).json({ path: request.path });
  };
  const app = express();
  app.use((_request, _response, next) => {
    setTimeout(next, flaws.slowMs ?? 0);
  });
  app.use((request, response) => {
    const isExempt = exempt.has(request.path) && request.path !== flaws.limitedPath;
    if (isExempt && flaws.countsExempt === true) count(request);
    if (isExempt || flaws.noLimiter === true) {
      answer(request, response, isExempt ? (flaws.answersExempt ?? flaws.answersAll) : undefined);
      return;
    }
    const { hits, endsAtMs } = count(request);
    const seconds = Math.max(1, Math.ceil((endsAtMs - Date.now()) / 1000));
    if (flaws.noHeaders !== true) {
      response.set('ratelimit', `"api"; r=${Math.max(0, limit - hits)}; t=${seconds}`);
      response.set('ratelimit-policy', `"api"; q=${limit}; w=${windowMs / 1000}`);
    }
    if (hits > limit) refuse(response, seconds, flaws);
    else answer(request, response);
  });
  return app;
};
