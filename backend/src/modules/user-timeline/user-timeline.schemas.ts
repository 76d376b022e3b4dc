import { z } from 'zod';
import { pageOf } from '../../platform/http/index.ts';
import { securityEventKinds } from '../security-events/index.ts';

const timelineKinds = ['order', 'product_order', 'payment', 'payout', 'plan', 'security'] as const;
export type TimelineKind = (typeof timelineKinds)[number];

const timelineEntry = z.object({
  at: z.iso.datetime(),
  kind: z.enum(timelineKinds),
  actor: z.string().optional(),
  /** A sentence for operators. */
  summary: z.string(),
  data: z.record(z.string(), z.unknown()),
});
timelineEntry.register(z.globalRegistry, {
  id: 'TimelineEntry',
  description: 'An event in the life of a customer, with the ids that identify it.',
  examples: [
    {
      at: '2026-01-15T09:30:00.000Z',
      kind: 'payout',
      summary: 'Payout: PAID',
      data: {
        payoutId: '0199d8f2-8c2e-7f60-9e77-5b3c8d9eaf12',
        orderId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
        status: 'PAID',
        amountPaise: 70_500,
      },
    },
  ],
});

export const timelinePage = pageOf(timelineEntry);

const securitySummaries: Readonly<Record<(typeof securityEventKinds)[number], string>> = {
  device_signed_in: 'Signed in on a new device',
  sign_in_refused: 'Sign-in refused',
  sign_in_locked: 'Sign-in locked',
  refresh_token_reused: 'Used refresh token presented again: its sessions ended',
  mpin_set: 'MPIN set',
  mpin_reset: 'MPIN reset',
  bank_account_added: 'Bank account added',
  bank_account_removed: 'Bank account removed',
  deletion_requested: 'Deletion of the account requested',
  device_distrusted: 'A device can no longer sign in with the MPIN: too many wrong ones',
  biometric_token_issued: 'Biometric sign-in turned on',
};

const summaryOf = (kind: TimelineKind, data: Readonly<Record<string, unknown>>): string => {
  const { status, type, event } = data;
  if (kind === 'order') return `Gold order ${String(type)}: ${String(status)}`;
  if (kind === 'product_order') return `Product order: ${String(status)}`;
  if (kind === 'payment') return `Payment order: ${String(status)}`;
  if (kind === 'payout') return `Payout: ${String(status)}`;
  if (kind === 'plan') return `Plan ${String(event)}`;
  const eventKind = securityEventKinds.find((kind) => kind === event);
  return eventKind === undefined ? 'Security event' : securitySummaries[eventKind];
};

export const presentTimelineEntry = (row: {
  readonly at: Date;
  readonly kind: TimelineKind;
  readonly data: Readonly<Record<string, unknown>>;
}) => ({
  at: row.at.toISOString(),
  kind: row.kind,
  summary: summaryOf(row.kind, row.data),
  data: row.data,
});
