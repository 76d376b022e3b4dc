import http, { type RefinedResponse, type RequestBody } from 'k6/http';
import { expectedStatuses, type Api } from '../lib/apis.ts';
import { forwardedFor } from '../lib/client-addresses.ts';
import { readLimitAnswer, type LimitAnswer } from '../lib/limit-answer.ts';
import type { Settings } from '../lib/settings.ts';

type Headers = Readonly<Record<string, string>>;

/** One client of one API, as the API sees it through the hop. */
export interface ApiClient {
  /** Makes `count` requests to limited routes in turn, several at once. */
  limited(count: number): LimitAnswer[];
  /** Makes one request to a limited route, with `headers` in place of the hop's. */
  limitedOnce(headers?: Headers): LimitAnswer;
  /** Makes at least `count` requests to exempt routes in turn, several at once. */
  exempt(count: number): LimitAnswer[];
}

interface ClientOptions {
  readonly api: Api;
  readonly baseUrl: string;
  /** Says what the played hop appends. Without one a real hop says where the load test is. */
  readonly address: string | undefined;
  readonly settings: Pick<Settings, 'hop' | 'cache'>;
}

/** Makes a client. */
export const createApiClient = (options: ClientOptions): ApiClient => {
  const { api, baseUrl, address, settings } = options;
  const ownHeaders: Headers = address === undefined ? {} : forwardedFor(address);
  let made = 0;

  const prepare = (given: Api['limitedRequests'][number], headers: Headers) => ({
    expected: expectedStatuses(given, settings),
    request: {
      method: given.method,
      url: `${baseUrl}${given.path}`,
      // k6 takes null for no body
      body: null as RequestBody | null,
      params: {
        headers: { ...headers },
        responseType: 'text' as const,
        redirects: 0,
        timeout: '30s',
        tags: { api: api.name },
      },
    },
  });
  type Prepared = ReturnType<typeof prepare>;

  const nextLimited = (headers: Headers): Prepared => {
    const { limitedRequests } = api;
    const next = limitedRequests[made % limitedRequests.length];
    if (next === undefined) throw new Error(`the ${api.name} API limits nothing`);
    made += 1;
    return prepare(next, headers);
  };
  const read = ({ expected }: Prepared, answer: RefinedResponse<'text'>): LimitAnswer =>
    readLimitAnswer({
      status: answer.status,
      expected,
      headers: answer.headers,
      body: answer.body,
    });
  const sendAll = (prepared: readonly Prepared[]): LimitAnswer[] => {
    const answers = http.batch(prepared.map(({ request }) => request));
    return prepared.flatMap((one, index) => {
      const answer = answers[index];
      return answer === undefined ? [] : [read(one, answer)];
    });
  };

  return {
    limited: (count) => sendAll(Array.from({ length: count }, () => nextLimited(ownHeaders))),
    limitedOnce(headers = ownHeaders) {
      const prepared = nextLimited(headers);
      const { method, url, body, params } = prepared.request;
      return read(prepared, http.request(method, url, body, params));
    },
    exempt(count) {
      const rounds = Math.ceil(count / api.exemptRequests.length);
      const all = Array.from({ length: rounds }, () => api.exemptRequests).flat();
      return sendAll(all.map((one) => prepare(one, ownHeaders)));
    },
  };
};
