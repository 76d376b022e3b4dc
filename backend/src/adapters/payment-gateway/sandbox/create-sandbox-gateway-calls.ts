import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpRequest,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { GATEWAY_NOT_FOUND, GATEWAY_REFUSED } from '../port.ts';
import type { SandboxGatewayConfig } from './sandbox-gateway.config.ts';
import { errorAnswer } from './sandbox-gateway.schemas.ts';

type Query = Readonly<Record<string, string>>;

/** Calls the neutral gateway: authorisation, and the reading of answers. */
export interface SandboxGatewayCalls extends Closable {
  /** Returns false while the circuit is open. */
  readonly isAvailable: () => boolean;
  readonly get: <T>(
    operation: string,
    path: string,
    answer: z.ZodType<T>,
    query?: Query,
  ) => Promise<Outcome<T>>;
  readonly post: <T>(
    operation: string,
    path: string,
    json: object,
    answer: z.ZodType<T>,
  ) => Promise<Outcome<T>>;
}

const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = errorAnswer.safeParse(json);
  if (status < 400 || !error.success) return undefined;
  const { code, message } = error.data.error;
  const refusalCode = status === 404 ? GATEWAY_NOT_FOUND : GATEWAY_REFUSED;
  return refused(refusalCode, `${code}: ${message.slice(0, 200)}`);
};

export const createSandboxGatewayCalls = (
  config: SandboxGatewayConfig,
  deps: AdapterDeps,
): SandboxGatewayCalls => {
  const { SANDBOX_GATEWAY_KEY_ID: keyId, SANDBOX_GATEWAY_KEY_SECRET: keySecret } = config;
  const credentials = Buffer.from(`${keyId}:${keySecret}`, 'utf8').toString('base64');
  const client = createHttpClient({
    ...deps,
    name: 'sandbox-gateway',
    baseUrl: config.SANDBOX_GATEWAY_BASE_URL,
    timeoutMs: config.SANDBOX_GATEWAY_TIMEOUT_MS,
    headers: { authorization: `Basic ${credentials}` },
  });

  const send = async <T>(request: HttpRequest, answer: z.ZodType<T>): Promise<Outcome<T>> => {
    const sent = await client.request(request);
    return sent.kind === 'done' ? readAnswer(sent.value, answer, readRefusal) : sent;
  };

  return {
    get: (operation, path, answer, query = {}) =>
      send({ operation, method: 'GET', path, query, safe: true }, answer),
    // The gateway would take a repeat for the same order or debit; whether and when to repeat is
    // decided where the intent is recorded, not here.
    post: (operation, path, json, answer) =>
      send({ operation, method: 'POST', path, json, safe: false }, answer),
    isAvailable: () => client.isAvailable(),
    close: () => client.close(),
  };
};
