import { formatRupees } from '../../../money/index.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { istDate } from '../../../platform/clock/ist.ts';
import { jsonNumber, UNREADABLE } from '../../../platform/http-client/index.ts';
import { done, mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import { checkAnswer } from '../../check-answer.ts';
import { checkOrder } from '../check-order.ts';
import {
  GATEWAY_NOT_FOUND,
  GATEWAY_REFUSED,
  type GatewayPayment,
  type Listed,
  type MandateDebit,
} from '../port.ts';
import * as charges from './cashfree-charges.wire.ts';
import * as wire from './cashfree.wire.ts';
import { readOrder, resolveRepeat, type CashfreeCalls } from './create-cashfree-calls.ts';

interface CashfreeDebitsDeps {
  readonly calls: CashfreeCalls;
  readonly clock: Clock;
}

export interface CashfreeDebits {
  readonly debitMandate: (
    debit: MandateDebit,
  ) => Promise<Outcome<{ readonly gatewayDebitId: string }>>;
  /** Lists the charge of an order under its mandate. There is at most one. */
  readonly listCharges: (
    subscriptionId: string,
    orderId: string,
  ) => Promise<Outcome<Listed<GatewayPayment>>>;
}

/**
 * Compares the phone numbers of the mandate's owner and the order's customer. A missing number is
 * refused at once, because a later query would not have it either.
 */
const compareOwners = (mandatePhone: string, orderPhone: string): Outcome<true> => {
  if (mandatePhone === '') return refused(GATEWAY_REFUSED, 'the mandate shows no phone number');
  if (orderPhone === '') {
    return refused(GATEWAY_REFUSED, 'the order shows no phone number of its customer');
  }
  return charges.isSamePhone(orderPhone, mandatePhone)
    ? done(true)
    : refused(GATEWAY_REFUSED, 'the mandate is not of the customer of this order');
};

/**
 * Creates the debits under mandates. A mandate is a subscription at Cashfree, and the mandate token is
 * its `subscription_id`. A charge belongs to the subscription and not to an order. It therefore has
 * the order's id as its `payment_id`, and the order names the subscription in a tag.
 */
export const createCashfreeDebits = ({
  calls: { get, post },
  clock,
}: CashfreeDebitsDeps): CashfreeDebits => {
  const getCharge = async (subscriptionId: string, orderId: string) => {
    const path = wire.paths.charge(subscriptionId, orderId);
    return checkOrder(await get('get-debit', path, charges.chargeAnswer), orderId);
  };

  /**
   * Checks that the order's customer has the phone number of the mandate's owner. The token comes from
   * a customer's device, and may be another customer's.
   */
  const checkOwner = async ({
    gatewayOrderId,
    mandateToken,
  }: MandateDebit): Promise<Outcome<true>> => {
    const [order, subscription] = await Promise.all([
      readOrder(get, gatewayOrderId),
      get('get-mandate', wire.paths.subscription(mandateToken), charges.subscriptionAnswer),
    ]);
    const mandate = checkAnswer(subscription, (found) => found.subscription_id === mandateToken);
    if (order.kind !== 'done') return order;
    if (mandate.kind !== 'done') return mandate;
    const phone = mandate.value.customer_details?.customer_phone ?? '';
    return compareOwners(phone, order.value.customerPhone);
  };

  return {
    async debitMandate(debit) {
      const { gatewayOrderId, mandateToken, amountPaise, idempotencyKey } = debit;
      if (debit.currency !== charges.chargeCurrency) {
        return refused(GATEWAY_REFUSED, 'a mandate is debited in rupees');
      }
      const ownership = await checkOwner(debit);
      if (ownership.kind !== 'done') return ownership;
      const json = {
        subscription_id: mandateToken,
        payment_id: gatewayOrderId,
        payment_type: charges.chargeType,
        payment_amount: jsonNumber(formatRupees(amountPaise)),
        payment_schedule_date: istDate(clock.now()),
      };
      const request = { operation: 'debit', path: wire.paths.charges, json, idempotencyKey };
      const charge = await resolveRepeat(
        checkOrder(await post(request, charges.chargeAnswer), gatewayOrderId),
        () => getCharge(mandateToken, gatewayOrderId),
      );
      return mapDone(charge, ({ gatewayPaymentId }) => ({ gatewayDebitId: gatewayPaymentId }));
    },

    async listCharges(subscriptionId, orderId) {
      const found = await getCharge(subscriptionId, orderId);
      if (found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND) return done([]);
      // The charge exists but can't be read, so it is listed as an unread row.
      if (found.kind === 'unknown' && found.reason === UNREADABLE) {
        return done([{ status: 'UNREADABLE' }]);
      }
      return mapDone(found, ({ initiatedAt = clock.now(), ...charge }) => [
        { ...charge, createdAt: initiatedAt },
      ]);
    },
  };
};
