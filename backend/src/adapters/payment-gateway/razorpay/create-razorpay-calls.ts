import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpRequest,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { done, refused, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { withoutNumbers } from '../../without-numbers.ts';
import { GATEWAY_NOT_FOUND, GATEWAY_REFUSED } from '../port.ts';
import type { RazorpayConfig } from './razorpay.config.ts';
import {
  maximumPages,
  pageQuery,
  pageSize,
  refusalStatuses,
  saysNotFound,
} from './razorpay.facts.ts';
import { errorAnswer } from './razorpay.schemas.ts';

type Query = Readonly<Record<string, string>>;

/** Calls Razorpay: authorisation, and the reading of answers. */
export interface RazorpayCalls extends Closable {
  /** Returns false while the circuit is open. */
  readonly isAvailable: () => boolean;
  readonly get: <T>(
    operation: string,
    path: string,
    answer: z.ZodType<T>,
    query?: Query,
  ) => Promise<Outcome<T>>;
  /** Gets every page of a list; unknown when it is longer than anybody may ask for. */
  readonly getAll: <T>(
    operation: string,
    path: string,
    answer: z.ZodType<{ readonly items: readonly T[] }>,
  ) => Promise<Outcome<readonly T[]>>;
  readonly post: <T>(
    operation: string,
    path: string,
    json: object,
    answer: z.ZodType<T>,
  ) => Promise<Outcome<T>>;
}

/** Reads the gateway's refusal. Its text is for our logs, and may quote what it refuses. */
const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = errorAnswer.safeParse(json);
  if (!refusalStatuses.has(status) || !error.success) return undefined;
  const { code, description } = error.data.error;
  const message = `${code}: ${withoutNumbers(description).slice(0, 200)}`;
  return refused(saysNotFound(status, description) ? GATEWAY_NOT_FOUND : GATEWAY_REFUSED, message);
};

export const createRazorpayCalls = (config: RazorpayConfig, deps: AdapterDeps): RazorpayCalls => {
  const { RAZORPAY_KEY_ID: keyId, RAZORPAY_KEY_SECRET: keySecret } = config;
  const credentials = Buffer.from(`${keyId}:${keySecret}`, 'utf8').toString('base64');
  const client = createHttpClient({
    ...deps,
    name: 'razorpay',
    baseUrl: config.RAZORPAY_BASE_URL,
    timeoutMs: config.RAZORPAY_TIMEOUT_MS,
    headers: { authorization: `Basic ${credentials}` },
  });

  const send = async <T>(request: HttpRequest, answer: z.ZodType<T>): Promise<Outcome<T>> => {
    const sent = await client.request(request);
    return sent.kind === 'done' ? readAnswer(sent.value, answer, readRefusal) : sent;
  };

  const get: RazorpayCalls['get'] = (operation, path, answer, query = {}) =>
    send({ operation, method: 'GET', path, query, safe: true }, answer);

  return {
    get,
    async getAll<T>(
      operation: string,
      path: string,
      answer: z.ZodType<{ readonly items: readonly T[] }>,
    ) {
      const all: T[] = [];
      for (let page = 0; page < maximumPages; page += 1) {
        const found = await get(operation, path, answer, pageQuery(page));
        if (found.kind !== 'done') return found;
        all.push(...found.value.items);
        if (found.value.items.length < pageSize) return done(all);
      }
      return unknown('LIST_TOO_LONG');
    },
    // A repeat may be a second order or debit; whether and when to repeat is decided where the
    // intent is recorded, not here.
    post: (operation, path, json, answer) =>
      send({ operation, method: 'POST', path, json, safe: false }, answer),
    isAvailable: () => client.isAvailable(),
    close: () => client.close(),
  };
};
