import type { RequestListener } from 'node:http';
import type { Api } from '../../lib/apis.ts';
import { createCounter, createLimitedApi } from './limited-api.ts';

/** Creates two replicas of an API: they count together, or each alone. */
export const createReplicas = (
  api: Api,
  windowMs: number,
  counts: 'together' | 'alone',
): readonly [RequestListener, RequestListener] => {
  const together = createCounter(api.limit, windowMs, {});
  const replica = (): RequestListener =>
    counts === 'together'
      ? createLimitedApi(api, windowMs, {}, together)
      : createLimitedApi(api, windowMs);
  return [replica(), replica()];
};

/** Puts a balancer before replicas, which get the requests in turn. */
export const balance = (replicas: readonly RequestListener[]): RequestListener => {
  let turn = 0;
  return (request, response) => {
    turn += 1;
    replicas[turn % replicas.length]?.(request, response);
  };
};
