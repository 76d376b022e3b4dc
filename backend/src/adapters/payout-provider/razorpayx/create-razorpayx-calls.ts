import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpRequest,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { PAYOUT_NOT_FOUND, PAYOUT_REFUSED } from '../port.ts';
import type { RazorpayxConfig } from './razorpayx.config.ts';
import { refusalStatuses, saysNotFound } from './razorpayx.facts.ts';
import { errorAnswer } from './razorpayx.schemas.ts';
import { basicAuthorization, withoutNumbers } from '../../http-texts.ts';

type Call = Pick<HttpRequest, 'operation' | 'path' | 'query' | 'headers'>;

interface Post extends Call {
  readonly json: object;
  /** True where the HTTP client may repeat it by itself. */
  readonly isIdempotent: boolean;
}

/** Calls RazorpayX: authorisation, and the reading of answers. */
export interface RazorpayxCalls extends Closable {
  readonly get: <T>(call: Call, answer: z.ZodType<T>) => Promise<Outcome<T>>;
  readonly post: <T>(call: Post, answer: z.ZodType<T>) => Promise<Outcome<T>>;
}

/** Reads the provider's refusal. Its text is for our logs, and may quote what it refuses. */
const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = errorAnswer.safeParse(json);
  if (!refusalStatuses.has(status) || !error.success) return undefined;
  const { code, description } = error.data.error;
  const message = `${code}: ${withoutNumbers(description).slice(0, 200)}`;
  return refused(saysNotFound(status, description) ? PAYOUT_NOT_FOUND : PAYOUT_REFUSED, message);
};

export const createRazorpayxCalls = (
  config: RazorpayxConfig,
  deps: AdapterDeps,
): RazorpayxCalls => {
  const client = createHttpClient({
    ...deps,
    name: 'razorpayx',
    baseUrl: config.RAZORPAYX_BASE_URL,
    timeoutMs: config.RAZORPAYX_TIMEOUT_MS,
    headers: {
      authorization: basicAuthorization(config.RAZORPAYX_KEY_ID, config.RAZORPAYX_KEY_SECRET),
    },
  });

  const send = async <T>(request: HttpRequest, answer: z.ZodType<T>): Promise<Outcome<T>> => {
    const sent = await client.request(request);
    return sent.kind === 'done' ? readAnswer(sent.value, answer, readRefusal) : sent;
  };

  return {
    get: (call, answer) => send({ ...call, method: 'GET', safe: true }, answer),
    post: ({ isIdempotent, ...call }, answer) =>
      send({ ...call, method: 'POST', safe: isIdempotent }, answer),
    close: () => client.close(),
  };
};
