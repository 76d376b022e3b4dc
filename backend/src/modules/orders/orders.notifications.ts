import {
  formatGrams,
  formatRupees,
  toSafePaise,
  type Grams,
  type Paise,
} from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { ManualReviewCode } from './orders.types.ts';

/** The order that a notification is about. */
interface NotifiedOrder {
  readonly id: string;
  readonly userId: string;
}

/** Notifies the customer that the gold is in the account. */
export const notifyBought = (
  db: Db,
  notify: Notify,
  order: NotifiedOrder & { readonly grams: Grams; readonly amountPaise: Paise },
): Promise<void> => {
  const grams = formatGrams(order.grams);
  const rupees = formatRupees(order.amountPaise);
  return notify(db, {
    userId: order.userId,
    type: 'buy_success',
    title: 'Gold added to your account',
    body: `${grams} g of gold bought for INR ${rupees} is in your account.`,
    data: { orderId: order.id, grams, amountPaise: toSafePaise(order.amountPaise) },
    dedupeKey: `buy_success:${order.id}`,
  });
};

/** Notifies the customer that an installment was not paid. It may fail and be notified again. */
export const notifyInstallmentFailed = (
  db: Db,
  notify: Notify,
  order: NotifiedOrder & {
    readonly amountPaise: Paise;
    readonly sipPlanId: string | null;
    readonly installmentNo: number | null;
  },
): Promise<void> => {
  const rupees = formatRupees(order.amountPaise);
  const { id: orderId, sipPlanId: planId, installmentNo } = order;
  return notify(db, {
    userId: order.userId,
    type: 'sip_installment_failed',
    title: 'An installment of your plan was not paid',
    body:
      `We did not receive INR ${rupees} for installment ${installmentNo ?? ''} of your plan. ` +
      'You can still pay it from your plan.',
    data: { orderId, planId, installmentNo, amountInr: rupees },
  });
};

const underReview =
  'We are looking into your order. Your money is safe and you do not need to pay again.';
/** The texts for reviews in which the money itself is in doubt. */
const moneyInDoubt: Partial<Record<ManualReviewCode, string>> = {
  FAILED_AFTER_PAID:
    'The gateway reported a problem with your payment. We are checking it. Please do not pay again.',
  PAYMENT_REVERSED:
    'Your payment for this order was refunded or disputed. ' +
    'Any gold from it cannot be sold while we look into it.',
};

/**
 * Returns the text about a review for the customer. For most reasons it only says that the money is
 * safe.
 */
export const reviewBody = (code: ManualReviewCode): string => moneyInDoubt[code] ?? underReview;

/** Notifies the customer that a person will look at the order, without the operators' reason. */
export const notifyUnderReview = (
  db: Db,
  notify: Notify,
  order: NotifiedOrder,
  code: ManualReviewCode,
): Promise<void> =>
  notify(db, {
    userId: order.userId,
    type: 'buy_under_review',
    title: 'Your gold order is being reviewed',
    body: reviewBody(code),
    data: { orderId: order.id },
    dedupeKey: `buy_under_review:${order.id}:${code}`,
  });

/** Notifies the customer that the gold is sold and the money is on its way. */
export const notifySold = (
  db: Db,
  notify: Notify,
  order: NotifiedOrder & { readonly grams: Grams; readonly amountPaise: Paise },
): Promise<void> => {
  const grams = formatGrams(order.grams);
  const rupees = formatRupees(order.amountPaise);
  return notify(db, {
    userId: order.userId,
    type: 'sell_confirmed',
    title: 'Your gold is sold',
    body: `You sold ${grams} g of gold for INR ${rupees}. The money is on its way to your bank account.`,
    data: { orderId: order.id, grams, amountPaise: toSafePaise(order.amountPaise) },
    dedupeKey: `sell_confirmed:${order.id}`,
  });
};

/** Notifies the customer that a sale failed and its gold is available again. */
export const notifySaleFailed = (
  db: Db,
  notify: Notify,
  order: NotifiedOrder & { readonly grams: Grams },
): Promise<void> => {
  const grams = formatGrams(order.grams);
  return notify(db, {
    userId: order.userId,
    type: 'sell_failed',
    title: 'Your gold was not sold',
    body: `Your sale of ${grams} g did not go through. The gold is still in your account.`,
    data: { orderId: order.id, grams },
    dedupeKey: `sell_failed:${order.id}`,
  });
};
