import http, { type RefinedResponse, type RequestBody } from 'k6/http';
import type { Api } from '../lib/apis.ts';
import { forwardedFor } from '../lib/client-addresses.ts';
import { readLimitAnswer, type LimitAnswer } from '../lib/limit-answer.ts';

type Headers = Readonly<Record<string, string>>;

/** One client of one API, as the API sees it through the hop. */
export interface ApiClient {
  /** Makes `count` requests to limited routes in turn, several at once. */
  limited(count: number): LimitAnswer[];
  /** Makes one request to a limited route; `headers` in place of the hop's. */
  limitedOnce(headers?: Headers): LimitAnswer;
  /** Makes at least `count` requests to exempt routes in turn, several at once. */
  exempt(count: number): LimitAnswer[];
}

const readAll = (responses: readonly RefinedResponse<'text'>[]): LimitAnswer[] =>
  responses.map(({ status, headers, body }) => readLimitAnswer({ status, headers, body }));

/**
 * Makes a client. `address` is what the played hop appends for it; without one a real hop says
 * where the load test is.
 */
export const createApiClient = (
  api: Api,
  baseUrl: string,
  address: string | undefined,
): ApiClient => {
  const ownHeaders: Headers = address === undefined ? {} : forwardedFor(address);
  let made = 0;

  const request = (method: string, path: string, headers: Headers) => ({
    method,
    url: `${baseUrl}${path}`,
    // k6 takes null for no body
    body: null as RequestBody | null,
    params: {
      headers: { ...headers },
      responseType: 'text' as const,
      redirects: 0,
      timeout: '30s',
      tags: { api: api.name },
    },
  });

  const nextLimited = (headers: Headers) => {
    const path = api.limitedPaths[made % api.limitedPaths.length] ?? '/';
    made += 1;
    return request('GET', path, headers);
  };

  return {
    limited(count) {
      return readAll(http.batch(Array.from({ length: count }, () => nextLimited(ownHeaders))));
    },
    limitedOnce(headers = ownHeaders) {
      const { method, url, body, params } = nextLimited(headers);
      const { status, headers: got, body: text } = http.request(method, url, body, params);
      return readLimitAnswer({ status, headers: got, body: text });
    },
    exempt(count) {
      const rounds = Math.ceil(count / api.exemptRequests.length);
      const all = Array.from({ length: rounds }, () => api.exemptRequests).flat();
      return readAll(http.batch(all.map(({ method, path }) => request(method, path, ownHeaders))));
    },
  };
};
