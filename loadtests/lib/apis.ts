import type { ApiName } from './settings.ts';

interface ExemptRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** The rate limit of an API, and the requests that it does and does not count. */
export interface Api {
  readonly name: ApiName;
  /** Requests of one client in one window. */
  readonly limit: number;
  /** Of several kinds, since a client has one budget for all of them. */
  readonly limitedPaths: readonly string[];
  readonly exemptRequests: readonly ExemptRequest[];
}

const get = (path: string): ExemptRequest => ({ method: 'GET', path });
const post = (path: string): ExemptRequest => ({ method: 'POST', path });

/**
 * No request has a credential: the limit comes before it, so a 401 is counted like an answer. The
 * webhooks have no body, so they are 401 too and nothing is written.
 */
export const apis: Readonly<Record<ApiName, Api>> = {
  customer: {
    name: 'customer',
    limit: 100,
    limitedPaths: ['/v1/users/me', '/v1/public/payment-readiness', '/v1/no-such-route'],
    exemptRequests: [
      post('/v1/webhooks/payment'),
      post('/v1/webhooks/payment/sandbox'),
      post('/v1/webhooks/payout'),
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
    limitedPaths: ['/v1/orders', '/v1/audit', '/v1/no-such-route'],
    exemptRequests: [get('/v1/health'), get('/metrics'), get('/healthz'), get('/readyz')],
  },
  accounting: {
    name: 'accounting',
    limit: 120,
    limitedPaths: ['/api/v1/accounting/auth/me', '/api/v1/accounting/no-such-route'],
    exemptRequests: [
      get('/api/v1/accounting/health'),
      get('/metrics'),
      get('/healthz'),
      get('/readyz'),
    ],
  },
};
