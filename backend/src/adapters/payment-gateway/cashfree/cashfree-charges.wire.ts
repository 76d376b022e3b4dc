import { z } from 'zod';
import { textOrDigits } from '../../../platform/http-client/index.ts';
import { meaningOf } from '../../http-texts.ts';
import type { GatewayPayment } from '../port.ts';
import { id, optionalMoment, optionalText, paymentStatuses, rupees } from './cashfree.wire.ts';

/** `CreateSubscriptionPaymentRequest`: a debit, and no authorisation of the mandate. */
export const chargeType = 'CHARGE';

/** Subscriptions are in rupees. Their payments name no currency when they are read. */
export const chargeCurrency = 'INR';

const lastTenDigits = (phone: string): string => phone.replace(/\D/gu, '').slice(-10);

/**
 * Compares two phone numbers by their last ten digits, since the country code is written in many
 * ways.
 */
export const isSamePhone = (one: string, other: string): boolean =>
  lastTenDigits(one).length === 10 && lastTenDigits(one) === lastTenDigits(other);

/**
 * A charge under a subscription. `payment_id` is the order that it was requested for. Before it has
 * been presented it may have no id at Cashfree, and is identified by the order until then.
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
    ({ cf_payment_id: given, payment_status: status }) =>
      typeof given === 'string' || meaningOf(paymentStatuses, status, 'PENDING') !== 'CAPTURED',
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
