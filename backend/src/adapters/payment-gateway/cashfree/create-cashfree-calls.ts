import type { z } from 'zod';
import type { HttpResponse } from '../../../platform/http-client/index.ts';
import { refused, unknown, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps } from '../../adapter-deps.ts';
import { withoutNumbers } from '../../http-texts.ts';
import { checkAnswer } from '../../check-answer.ts';
import { createGatewayCalls, type GatewayCalls } from '../create-gateway-calls.ts';
import { GATEWAY_NOT_FOUND, GATEWAY_REFUSED } from '../port.ts';
import { orderAnswer } from './cashfree-orders.wire.ts';
import type { CashfreeConfig } from './cashfree.config.ts';
import * as wire from './cashfree.wire.ts';

/** A refusal code of this adapter, for a request whose id or key an earlier request has used. */
const ALREADY_REQUESTED = 'CASHFREE_ALREADY_REQUESTED';

interface Post {
  readonly operation: string;
  readonly path: string;
  readonly json: object;
  readonly idempotencyKey: string;
}

/** The calls to Cashfree. Every POST has an idempotency key. */
export interface CashfreeCalls extends Omit<GatewayCalls, 'post'> {
  readonly post: <T>(call: Post, answer: z.ZodType<T>) => Promise<Outcome<T>>;
}

const codeOf = (status: number): string => {
  if (status === 404) return GATEWAY_NOT_FOUND;
  return wire.alreadyRequested.has(status) ? ALREADY_REQUESTED : GATEWAY_REFUSED;
};

const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = wire.errorAnswer.safeParse(json);
  if (status < 400 || !error.success) return undefined;
  const { code, type, message } = error.data;
  return refused(codeOf(status), `${code ?? type}: ${withoutNumbers(message).slice(0, 200)}`);
};

/** Creates the calls to Cashfree. */
export const createCashfreeCalls = (config: CashfreeConfig, deps: AdapterDeps): CashfreeCalls => {
  const calls = createGatewayCalls(
    {
      name: 'cashfree',
      baseUrl: config.CASHFREE_BASE_URL,
      timeoutMs: config.CASHFREE_TIMEOUT_MS,
      headers: {
        [wire.headers.clientId]: config.CASHFREE_CLIENT_ID,
        [wire.headers.clientSecret]: config.CASHFREE_CLIENT_SECRET,
        [wire.headers.apiVersion]: wire.apiVersion,
      },
      readRefusal,
    },
    deps,
  );
  return {
    ...calls,
    post: ({ idempotencyKey, ...call }, answer) =>
      calls.post({ ...call, headers: { [wire.headers.idempotencyKey]: idempotencyKey } }, answer),
  };
};

/**
 * Returns the outcome of a request. If the response reports an earlier request with the same id or
 * key, the result of the earlier request is read. It is unknown while Cashfree has no result.
 */
export const resolveRepeat = async <T>(
  posted: Outcome<T>,
  read: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> => {
  if (posted.kind !== 'refused' || posted.code !== ALREADY_REQUESTED) return posted;
  const found = await read();
  const isMissing = found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND;
  return isMissing ? unknown(ALREADY_REQUESTED) : found;
};

/** Reads an order by the id that we gave it. */
export const readOrder = async (get: CashfreeCalls['get'], id: string) =>
  checkAnswer(
    await get('get-order', wire.paths.order(id), orderAnswer),
    ({ order }) => order.gatewayOrderId === id,
  );
