import { z } from 'zod';
import { orLeftOut, parseSignedJson, safeInteger } from '../../../platform/http-client/index.ts';
import type { PayoutProviderEvent } from '../port.ts';
import {
  amount,
  describePayout,
  describeValidation,
  payoutFields,
  type payoutStatuses,
  validationFields,
} from './razorpayx.wire.ts';

/* Pages are those of razorpay.com/docs/api/x, as in `razorpayx.wire.ts`. */

/** webhooks/payouts: the events that end an attempt. No other event decides its outcome. */
const payoutEvents: ReadonlyMap<string, keyof typeof payoutStatuses> = new Map([
  ['payout.processed', 'processed'],
  ['payout.failed', 'failed'],
  ['payout.rejected', 'rejected'],
  ['payout.reversed', 'reversed'],
]);

/** webhooks/account-validation */
const validationEvents: ReadonlyMap<string, 'completed' | 'failed'> = new Map([
  ['fund_account.validation.completed', 'completed'],
  ['fund_account.validation.failed', 'failed'],
]);

/** webhooks/payloads/x: the envelope. `created_at` is in seconds. */
const eventBody = z.object({
  event: z.string().regex(/^[\w.-]{1,64}$/),
  created_at: safeInteger
    .refine((seconds) => seconds > 0 && seconds < 100_000_000_000)
    .transform((seconds) => new Date(seconds * 1000))
    .optional()
    .catch(undefined),
  payload: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** The payout of an event. It may lack fields that a response has. */
const payoutOfEvent = payoutFields.extend({ amount: orLeftOut(amount) });

const unreadable: PayoutProviderEvent = { kind: 'unreadable' };

const entityOf = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && 'entity' in part ? part.entity : undefined;

/**
 * Reads a signed webhook body. Returns `unreadable` if the service can't use it. The event's name
 * decides what happened, because the snapshot in the event may already be newer.
 */
export const readRazorpayxEvent = (rawBody: Buffer): PayoutProviderEvent => {
  const parsed = eventBody.safeParse(parseSignedJson(rawBody));
  if (!parsed.success) return unreadable;
  const { event: name, created_at: at, payload = {} } = parsed.data;
  const occurredAt = at === undefined ? {} : { occurredAt: at };

  const payoutStatus = payoutEvents.get(name);
  if (payoutStatus !== undefined) {
    const payout = payoutOfEvent.safeParse(entityOf(payload['payout']));
    if (!payout.success) return unreadable;
    const { amount } = payout.data;
    const report = {
      ...describePayout(payout.data, payoutStatus),
      ...(amount === undefined || amount === null ? {} : { amountPaise: amount }),
    };
    return { kind: 'payout', name, payout: report, ...occurredAt };
  }

  const validationStatus = validationEvents.get(name);
  if (validationStatus === undefined) return { kind: 'other', name };
  const validation = validationFields.safeParse(entityOf(payload['fund_account.validation']));
  if (!validation.success) return unreadable;
  const described = describeValidation(validation.data, validationStatus);
  return { kind: 'validation', name, validation: described, ...occurredAt };
};
