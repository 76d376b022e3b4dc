import { z } from 'zod';
import { addMs } from '../../../platform/clock/clock.ts';
import { textOrDigits } from '../../../platform/http-client/index.ts';
import { meaningOf } from '../../http-texts.ts';
import type { GatewayOrder } from '../port.ts';
import { currency, id, optionalText, rupees } from './cashfree.wire.ts';

const dayMs = 86_400_000;

/** `CustomerDetails.customer_id`: only letters and digits, so the hyphens of our UUID are removed. */
export const customerId = (id: string): string => id.replace(/[^A-Za-z0-9]/gu, '');

/** `CustomerDetails.customer_phone`: ten digits, or any number with a `+`. */
export const customerPhone = (phone: string): string => phone.replace(/^\+91/u, '');

/**
 * Returns the time after which Cashfree accepts no new attempt. The API refuses an expiry unless it is
 * more than 15 minutes and less than 30 days away (400 `order_expiry_time_invalid`). An order may
 * therefore outlive its price lock, and a payment after the lock is a late capture. Unverified by the
 * public pages: the limits are in the API's own error message.
 */
export const orderExpiry = (expiresAt: Date, now: Date, shortestMs: number): Date => {
  const soonest = addMs(now, shortestMs);
  const latest = addMs(now, 29 * dayMs);
  if (expiresAt < soonest) return soonest;
  return expiresAt > latest ? latest : expiresAt;
};

/** `OrderTags`: the tag of an order with the id of the subscription under which it is charged. */
export const mandateTag = 'subscription_id';

/** resources/payment-lifecycle: an EXPIRED order may become PAID while an attempt is in progress. */
const orderStatuses: Readonly<Record<string, GatewayOrder['status']>> = {
  ACTIVE: 'OPEN',
  PAID: 'PAID',
  EXPIRED: 'CLOSED',
  TERMINATED: 'CLOSED',
  TERMINATION_REQUESTED: 'CLOSED',
};

const tags = z.record(z.string(), z.unknown()).nullish();

/** An order, with two fields that only this adapter needs. */
export const orderAnswer = z
  .object({
    order_id: id,
    order_amount: rupees,
    order_currency: currency,
    order_status: optionalText,
    payment_session_id: z.string().min(1).max(512).nullish().catch(undefined),
    customer_details: z
      .object({ customer_phone: textOrDigits.nullish() })
      .nullish()
      .catch(undefined),
    order_tags: tags.catch(undefined),
  })
  .transform((answer) => {
    const tag = answer.order_tags?.[mandateTag];
    const order: GatewayOrder = {
      gatewayOrderId: answer.order_id,
      receipt: answer.order_id,
      amountPaise: answer.order_amount,
      currency: answer.order_currency,
      status: meaningOf<GatewayOrder['status']>(orderStatuses, answer.order_status, 'UNKNOWN'),
      ...(typeof answer.payment_session_id === 'string' && {
        checkoutSession: answer.payment_session_id,
      }),
    };
    return {
      order,
      customerPhone: answer.customer_details?.customer_phone ?? '',
      mandate: typeof tag === 'string' ? tag : undefined,
    };
  });
