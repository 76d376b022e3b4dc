import { z } from 'zod';
import { textOrDigits } from '../../../platform/http-client/index.ts';
import { meaningOf } from '../../http-texts.ts';
import type { GatewayPayment } from '../port.ts';
import { id, optionalMoment, optionalText, paymentStatuses, rupees } from './cashfree.wire.ts';

/** `CreateSubscriptionPaymentRequest`: the type of a debit, and not of a mandate's authorisation. */
export const chargeType = 'CHARGE';

/** The currency of subscriptions. Their payments name no currency in responses. */
export const chargeCurrency = 'INR';

const lastTenDigits = (phone: string): string => phone.replace(/\D/gu, '').slice(-10);

/**
 * Compares two phone numbers by their last ten digits, since the country code is written in many
 * ways.
 */
export const isSamePhone = (one: string, other: string): boolean =>
  lastTenDigits(one).length === 10 && lastTenDigits(one) === lastTenDigits(other);

/**
 * A charge under a subscription. `payment_id` is the id of the order for which it was requested. Until
 * the charge is presented it may have no id at Cashfree, so that the order's id identifies it.
 */
export const chargeAnswer = z
  .object({
    cf_payment_id: id.nullish().catch(undefined),
    payment_id: id,
    payment_amount: rupees,
    payment_status: optionalText,
    payment_initiated_date: optionalMoment,
  })
  .refine(
    ({ cf_payment_id: cfId, payment_status: status }) =>
      typeof cfId === 'string' || meaningOf(paymentStatuses, status, 'PENDING') !== 'CAPTURED',
    { path: ['cf_payment_id'], message: 'a charge that was paid has an id' },
  )
  .transform((charge) => ({
    gatewayPaymentId: charge.cf_payment_id ?? charge.payment_id,
    gatewayOrderId: charge.payment_id,
    amountPaise: charge.payment_amount,
    currency: chargeCurrency,
    status: meaningOf<GatewayPayment['status']>(paymentStatuses, charge.payment_status, 'PENDING'),
    initiatedAt: charge.payment_initiated_date ?? undefined,
  }));

/** A subscription, with the phone number of the mandate's owner if Cashfree shows it. */
export const subscriptionAnswer = z.object({
  subscription_id: id,
  customer_details: z.object({ customer_phone: textOrDigits.nullish() }).nullish().catch(undefined),
});
