import { z } from 'zod';
import type { PayoutProviderEvent } from '../../adapters/payout-provider/port.ts';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';

/** An event whose body could be read. */
export type ReadPayoutEvent = Exclude<PayoutProviderEvent, { readonly kind: 'unreadable' }>;

const text = z.string().exactOptional();
const moment = z.iso
  .datetime()
  .transform((at) => new Date(at))
  .exactOptional();

/** An event as the inbox keeps it, sealed, until it can be applied. */
const storedEventSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('payout'),
    name: z.string(),
    occurredAt: moment,
    payout: z.object({
      providerPayoutId: z.string(),
      referenceId: text,
      fundAccountId: text,
      amountPaise: z.int().transform(fromSafePaise).exactOptional(),
      status: z.enum(['PROCESSING', 'PAID', 'FAILED', 'REVERSED']),
      providerStatus: z.string(),
      mode: text,
      utr: text,
      failureReason: text,
    }),
  }),
  z.object({
    kind: z.literal('validation'),
    name: z.string(),
    occurredAt: moment,
    validation: z.object({
      validationId: z.string(),
      referenceId: text,
      status: z.enum(['PENDING', 'VALID', 'INVALID', 'FAILED']),
      providerStatus: z.string(),
      registeredName: text,
      nameMatchScore: z.int().exactOptional(),
      reason: text,
    }),
  }),
  z.object({ kind: z.literal('other'), name: z.string() }),
]);

/** Converts an event to a form that JSON can hold. */
export const printPayoutEvent = (event: ReadPayoutEvent): object => {
  if (event.kind !== 'payout') return event;
  const { amountPaise, ...payout } = event.payout;
  const amount = amountPaise === undefined ? {} : { amountPaise: toSafePaise(amountPaise) };
  return { ...event, payout: { ...payout, ...amount } };
};

/** Converts the stored form back. */
export const parsePayoutEvent = (content: unknown): ReadPayoutEvent =>
  storedEventSchema.parse(content);
