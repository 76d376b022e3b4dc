import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import type { Random } from '../ids/random.ts';

const accepted = /^[A-Za-z0-9._-]{1,128}$/u;
const storage = new AsyncLocalStorage<string>();

/** The id of the request (or job) that this code runs for; for log lines. */
export const currentRequestId = (): string | undefined => storage.getStore();

/** Runs `work` under a request id of its own choosing, such as a job's. */
export const withRequestId = <T>(requestId: string, work: () => T): T =>
  storage.run(requestId, work);

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
  }
}

/**
 * Accepts or makes `x-request-id` and returns it as a header (contract: conventions > Request ids).
 */
export const requestIdMiddleware =
  (random: Random): RequestHandler =>
  (req, res, next) => {
    const given = req.headers['x-request-id'];
    const id = typeof given === 'string' && accepted.test(given) ? given : random.uuid();
    req.requestId = id;
    res.setHeader('x-request-id', id);
    storage.run(id, next);
  };
