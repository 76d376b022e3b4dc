import { parseSignedJson } from '../../../platform/http-client/index.ts';
import type { PayoutProviderEvent } from '../port.ts';
import {
  payoutEvents,
  validationEvents,
  describePayout,
  describeValidation,
  eventBody,
  payoutOfEvent,
  validationOfEvent,
} from './razorpayx.wire.ts';

const unreadable: PayoutProviderEvent = { kind: 'unreadable' };

const entityOf = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && 'entity' in part ? part.entity : undefined;

/**
 * Reads a signed webhook body, or `unreadable` if the service can't use it. The event's name
 * decides what happened: the snapshot in it may already be newer.
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
  const validation = validationOfEvent.safeParse(entityOf(payload['fund_account.validation']));
  if (!validation.success) return unreadable;
  const described = describeValidation(validation.data, validationStatus);
  return { kind: 'validation', name, validation: described, ...occurredAt };
};
