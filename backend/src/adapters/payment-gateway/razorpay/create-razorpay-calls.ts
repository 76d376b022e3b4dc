import type { z } from 'zod';
import type { HttpResponse } from '../../../platform/http-client/index.ts';
import {
  done,
  mapDone,
  refused,
  unknown,
  type Outcome,
} from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps } from '../../adapter-deps.ts';
import { basicAuthorization, withoutNumbers } from '../../http-texts.ts';
import { createGatewayCalls, type GatewayCalls } from '../create-gateway-calls.ts';
import { GATEWAY_NOT_FOUND, GATEWAY_REFUSED } from '../port.ts';
import type { RazorpayConfig } from './razorpay.config.ts';
import {
  maximumPages,
  pageQuery,
  pageSize,
  paths,
  refusalStatuses,
  saysNotFound,
} from './razorpay.facts.ts';
import { errorAnswer, paymentsAnswer, type ListedPayment } from './razorpay.schemas.ts';

/** The calls to Razorpay, whose lists come in pages. */
export interface RazorpayCalls extends GatewayCalls {
  /** Gets every page of a list; unknown when it is longer than anybody may ask for. */
  readonly getAll: <T>(
    operation: string,
    path: string,
    answer: z.ZodType<{ readonly items: readonly T[] }>,
  ) => Promise<Outcome<readonly T[]>>;
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
  const calls = createGatewayCalls(
    {
      name: 'razorpay',
      baseUrl: config.RAZORPAY_BASE_URL,
      timeoutMs: config.RAZORPAY_TIMEOUT_MS,
      headers: {
        authorization: basicAuthorization(config.RAZORPAY_KEY_ID, config.RAZORPAY_KEY_SECRET),
      },
      readRefusal,
    },
    deps,
  );
  return {
    ...calls,
    async getAll<T>(
      operation: string,
      path: string,
      answer: z.ZodType<{ readonly items: readonly T[] }>,
    ) {
      const all: T[] = [];
      for (let page = 0; page < maximumPages; page += 1) {
        const found = await calls.get(operation, path, answer, pageQuery(page));
        if (found.kind !== 'done') return found;
        all.push(...found.value.items);
        if (found.value.items.length < pageSize) return done(all);
      }
      return unknown('LIST_TOO_LONG');
    },
  };
};

/** Lists the payments of an order with the keys of debits (page api/orders/fetch-payments). */
export const listPaymentsOf = async (
  { get }: Pick<RazorpayCalls, 'get'>,
  gatewayOrderId: string,
): Promise<Outcome<readonly ListedPayment[]>> => {
  const path = paths.paymentsOfOrder(encodeURIComponent(gatewayOrderId));
  return mapDone(await get('list-payments', path, paymentsAnswer), ({ items }) => items);
};
