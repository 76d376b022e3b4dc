import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import type { Random } from '../ids/random.ts';

const accepted = /^[A-Za-z0-9._-]{1,128}$/u;

/** The request, job or sweep that code runs for. */
interface Scope {
  readonly id: string;
  /** A request is short, where a job or sweep may go on for long. */
  readonly isRequest: boolean;
}
const storage = new AsyncLocalStorage<Scope>();

/** The id of the request (or job) that this code runs for; for log lines. */
export const currentRequestId = (): string | undefined => storage.getStore()?.id;

/** Runs `work` under a request id of its own choosing, such as a job's. */
export const withRequestId = <T>(requestId: string, work: () => T): T =>
  storage.run({ id: requestId, isRequest: false }, work);

/**
 * Makes a read that is shared by all who call it for one HTTP request; one that failed is not. A job
 * or sweep may go on for long, so there and outside of all of them every call reads.
 */
export const readOncePerRequest = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
  const reads = new WeakMap<Scope, Promise<Value>>();
  return async () => {
    const scope = storage.getStore();
    if (scope?.isRequest !== true) return read();
    const begun = reads.get(scope) ?? read();
    reads.set(scope, begun);
    try {
      return await begun;
    } catch (error) {
      if (reads.get(scope) === begun) reads.delete(scope);
      throw error;
    }
  };
};

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
    storage.run({ id, isRequest: true }, next);
  };
