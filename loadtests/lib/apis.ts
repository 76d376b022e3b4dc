import type { ApiName, Settings } from './settings.ts';

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The status of its answer, unless the rate limit refuses it. */
  readonly status: number;
}

/** The rate limit of an API, and the requests that it does and does not count. */
export interface Api {
  readonly name: ApiName;
  /** The limit of requests of a client in a window. */
  readonly limit: number;
  /**
   * Requests that the limit counts. They are of several kinds, since a client has one budget for
   * all of them.
   */
  readonly limitedRequests: readonly Request[];
  readonly exemptRequests: readonly Request[];
}

const get = (path: string, status = 200): Request => ({ method: 'GET', path, status });
const post = (path: string, status: number): Request => ({ method: 'POST', path, status });

/**
 * The APIs and their requests. No request has a credential. The limit is checked before the
 * credential, so a 401 counts like any other answer. The webhooks have no signature, so they are
 * also 401 and nothing is written.
 */
export const apis: Readonly<Record<ApiName, Api>> = {
  customer: {
    name: 'customer',
    limit: 100,
    limitedRequests: [
      get('/v1/users/me', 401),
      get('/v1/public/payment-readiness'),
      get('/v1/no-such-route', 404),
    ],
    exemptRequests: [
      post('/v1/webhooks/payment', 401),
      post('/v1/webhooks/payment/sandbox', 401),
      post('/v1/webhooks/payout', 401),
      get('/v1/health'),
      get('/v1/metrics'),
      get('/metrics'),
      get('/healthz'),
      get('/readyz'),
    ],
  },
  admin: {
    name: 'admin',
    limit: 60,
    limitedRequests: [get('/v1/orders', 401), get('/v1/audit', 401), get('/v1/no-such-route', 404)],
    exemptRequests: [get('/v1/health'), get('/metrics'), get('/healthz'), get('/readyz')],
  },
  accounting: {
    name: 'accounting',
    limit: 120,
    limitedRequests: [
      get('/api/v1/accounting/auth/me', 401),
      get('/api/v1/accounting/no-such-route', 404),
    ],
    exemptRequests: [
      get('/api/v1/accounting/health'),
      get('/metrics'),
      get('/healthz'),
      get('/readyz'),
    ],
  },
};

/**
 * Matches the paths that a proxy in front passes on. Other paths are for probes and scrapers
 * inside.
 */
const published = /^\/(?:api\/)?v1\//u;

/**
 * Returns the statuses that a request may have. Behind a proxy, probes and metrics may be 404,
 * since they are only for hosts inside.
 */
export const expectedStatuses = (
  { path, status }: Pick<Request, 'path' | 'status'>,
  { hop }: Pick<Settings, 'hop'>,
): readonly number[] => {
  const isInside = path.endsWith('/metrics') || !published.test(path);
  return hop === 'real' && isInside ? [status, 404] : [status];
};
