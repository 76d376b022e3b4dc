import type { z } from 'zod';
import {
  createHttpClient,
  parseLosslessJson,
  printLosslessJson,
  readAnswer,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { refused, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { PROVIDER_REFUSED } from '../port.ts';
import type { SafegoldConfig } from './safegold.config.ts';
import { createBodyCipher } from './safegold.encryption.ts';
import { bodyEncryption } from './safegold.facts.ts';
import { errorAnswer } from './safegold.schemas.ts';

interface SafegoldCall<T> {
  readonly operation: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Makes the call a POST. */
  readonly body?: object;
  readonly answer: z.ZodType<T>;
  /** True for a call that may be repeated; reads always may. */
  readonly isIdempotent?: boolean;
  /** The code of a refusal, where it has a meaning of its own at this endpoint. */
  readonly refusalCode?: string;
  /** The codes of single refusals, by SafeGold's own code at this endpoint. */
  readonly refusalCodes?: Readonly<Record<string, string>>;
}

/** Calls SafeGold: authorizes, encrypts where configured, and reads the responses. */
export interface SafegoldCalls extends Closable {
  readonly call: <T>(call: SafegoldCall<T>) => Promise<Outcome<T>>;
}

/** Reads a refusal: 4xx with SafeGold's error body, whose text is for our logs, not for people. */
const readRefusal = (
  response: HttpResponse,
  { refusalCode, refusalCodes }: Pick<SafegoldCall<unknown>, 'refusalCode' | 'refusalCodes'>,
): Outcome<never> | undefined => {
  const error = errorAnswer.safeParse(response.json);
  if (response.status < 400 || !error.success) return undefined;
  const { code: theirs, message } = error.data;
  const code = refusalCodes?.[theirs] ?? refusalCode ?? PROVIDER_REFUSED;
  return refused(code, `${theirs}: ${message.slice(0, 200)}`);
};

export const createSafegoldCalls = (config: SafegoldConfig, deps: AdapterDeps): SafegoldCalls => {
  const { SAFEGOLD_TOKEN: token } = config;
  const cipher = config.SAFEGOLD_BODY_ENCRYPTION === 'on' ? createBodyCipher(token) : undefined;
  const client = createHttpClient({
    ...deps,
    name: 'safegold',
    baseUrl: config.SAFEGOLD_BASE_URL,
    timeoutMs: config.SAFEGOLD_TIMEOUT_MS,
    // apis-overview-authorization
    headers: { authorization: `Bearer ${token}` },
  });

  const bodyOf = (body: object | undefined) => {
    if (body === undefined) return {};
    if (cipher === undefined) return { json: body };
    const bytes = cipher.seal(printLosslessJson(body));
    return { body: { bytes, contentType: bodyEncryption.contentType } };
  };

  const opened = (response: HttpResponse): HttpResponse => {
    if (cipher === undefined) return response;
    const text = cipher.open(response.text) ?? '';
    return { ...response, text, json: parseLosslessJson(text) };
  };

  return {
    async call({ operation, path, query = {}, body, answer, isIdempotent, ...refusals }) {
      const sent = await client.request({
        operation,
        method: body === undefined ? 'GET' : 'POST',
        path,
        query,
        ...bodyOf(body),
        safe: isIdempotent ?? body === undefined,
      });
      if (sent.kind !== 'done') return sent;
      const response = opened(sent.value);
      // status-check-on-safegold-system: a failed confirm is a 200 without a body.
      if (response.status === 200 && response.text.trim() === '') return unknown('BLANK_ANSWER');
      return readAnswer(response, answer, (answered) => readRefusal(answered, refusals));
    },
    close: () => client.close(),
  };
};
