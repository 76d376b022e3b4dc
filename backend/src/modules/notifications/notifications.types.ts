import type { Db } from '../../platform/db/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';

/** The kinds of notifications (contract: customers > Notifications). */
export const notificationTypes = [
  'buy_success',
  'buy_under_review',
  'sell_confirmed',
  'sell_failed',
  'payout_paid',
  'payout_failed',
  'sip_installment_due',
  'sip_debit_notice',
  'sip_debited',
  'sip_installment_failed',
  'sip_completed',
  'sip_paused',
  'sip_resumed',
  'sip_installment_skipped',
  'product_order_placed',
  'product_order_confirmed',
  'product_order_packed',
  'product_order_shipped',
  'product_order_delivered',
  'product_order_cancelled',
  'product_order_returned',
  'kyc_approved',
  'kyc_rejected',
  'kyc_resubmit',
  'bank_added',
  'bank_verified',
  'bank_failed',
  'referral_reward',
  'ticket_answered',
  'device_signed_in',
  'mpin_set',
  'mpin_changed',
  'biometric_added',
] as const;

type NotificationType = (typeof notificationTypes)[number];

interface NewNotification {
  readonly userId: string;
  readonly type: NotificationType;
  readonly title: string;
  readonly body: string;
  /** Ids by which the client opens the right screen. They contain no personal data. */
  readonly data?: JsonObject;
  /** A second notification with the same key is not inserted, so the caller may run twice. */
  readonly dedupeKey?: string;
}

/** Notifies a customer, in the transaction that makes the change of which the notification informs. */
export type Notify = (db: Db, notification: NewNotification) => Promise<void>;

/** A stored notification. */
export interface Notification {
  readonly id: string;
  readonly type: NotificationType;
  readonly title: string;
  readonly body: string;
  readonly data: JsonObject;
  /** The time at which it was marked as read, or null while it is unread. */
  readonly readAt: Date | null;
  readonly createdAt: Date;
}
