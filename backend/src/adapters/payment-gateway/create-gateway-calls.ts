import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpRequest,
  type HttpResponse,
} from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';

type Texts = Readonly<Record<string, string>>;

interface Post {
  readonly operation: string;
  readonly path: string;
  readonly json: object;
  readonly headers?: Texts;
}

/** Calls a gateway's API: authorisation, and the reading of answers. */
export interface GatewayCalls extends Closable {
  /** Returns false while the circuit is open. */
  readonly isAvailable: () => boolean;
  readonly get: <T>(
    operation: string,
    path: string,
    answer: z.ZodType<T>,
    query?: Texts,
  ) => Promise<Outcome<T>>;
  readonly post: <T>(call: Post, answer: z.ZodType<T>) => Promise<Outcome<T>>;
}

interface GatewayCallsOptions {
  /** The collaborator's name in metrics and logs. */
  readonly name: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  /** Those that authorise every request. */
  readonly headers: Texts;
  /** Reads the gateway's refusal; undefined where an answer is none. */
  readonly readRefusal: (response: HttpResponse) => Outcome<never> | undefined;
}

export const createGatewayCalls = (
  { readRefusal, ...api }: GatewayCallsOptions,
  deps: AdapterDeps,
): GatewayCalls => {
  const client = createHttpClient({ ...deps, ...api });

  const send = async <T>(request: HttpRequest, answer: z.ZodType<T>): Promise<Outcome<T>> => {
    const sent = await client.request(request);
    return sent.kind === 'done' ? readAnswer(sent.value, answer, readRefusal) : sent;
  };

  return {
    get: (operation, path, answer, query = {}) =>
      send({ operation, method: 'GET', path, query, safe: true }, answer),
    // A repeat may be a second order or debit; whether and when to repeat is decided where the
    // intent is recorded, not here.
    post: (call, answer) => send({ ...call, method: 'POST', safe: false }, answer),
    isAvailable: () => client.isAvailable(),
    close: () => client.close(),
  };
};
