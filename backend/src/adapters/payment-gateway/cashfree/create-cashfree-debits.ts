import { formatRupees } from '../../../money/index.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { istDate } from '../../../platform/clock/ist.ts';
import { jsonNumber } from '../../../platform/http-client/index.ts';
import { done, mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import {
  GATEWAY_NOT_FOUND,
  GATEWAY_REFUSED,
  type GatewayPayment,
  type MandateDebit,
} from '../port.ts';
import * as facts from './cashfree.facts.ts';
import { chargeAnswer, orderAnswer, subscriptionAnswer } from './cashfree.schemas.ts';
import { resolveRepeat, type CashfreeCalls } from './create-cashfree-calls.ts';

interface CashfreeDebitsDeps {
  readonly calls: CashfreeCalls;
  readonly clock: Clock;
}

interface CashfreeDebits {
  readonly debitMandate: (
    debit: MandateDebit,
  ) => Promise<Outcome<{ readonly gatewayDebitId: string }>>;
  /** Lists the charge that was made for an order under its mandate: none, or one. */
  readonly listCharges: (
    subscriptionId: string,
    orderId: string,
  ) => Promise<Outcome<readonly GatewayPayment[]>>;
}

/**
 * Debits under a mandate, which at Cashfree is a subscription: the mandate token is its
 * `subscription_id`. A charge hangs on the subscription and not on an order, so it carries the
 * order's id as its own `payment_id`, and the order names the subscription in a tag.
 */
export const createCashfreeDebits = ({
  calls: { get, post },
  clock,
}: CashfreeDebitsDeps): CashfreeDebits => {
  const getCharge = (subscriptionId: string, orderId: string) =>
    get('get-debit', facts.paths.charge(subscriptionId, orderId), chargeAnswer);

  /**
   * A token comes from a customer's device. It is charged for nobody but the customer whose phone
   * number the mandate was given with, however a token of another may have been come by.
   */
  const checkOwner = async ({
    gatewayOrderId,
    mandateToken,
  }: MandateDebit): Promise<Outcome<true>> => {
    const [order, mandate] = await Promise.all([
      get('get-order', facts.paths.order(gatewayOrderId), orderAnswer),
      get('get-mandate', facts.paths.subscription(mandateToken), subscriptionAnswer),
    ]);
    if (order.kind !== 'done') return order;
    if (mandate.kind !== 'done') return mandate;
    const { customer_phone: phone } = mandate.value.customer_details;
    return facts.isSamePhone(order.value.customerPhone, phone)
      ? done(true)
      : refused(GATEWAY_REFUSED, 'the mandate is not of the customer of this order');
  };

  return {
    async debitMandate(debit) {
      const { gatewayOrderId, mandateToken, amountPaise, idempotencyKey } = debit;
      if (debit.currency !== facts.chargeCurrency) {
        return refused(GATEWAY_REFUSED, 'a mandate is debited in rupees');
      }
      const owned = await checkOwner(debit);
      if (owned.kind !== 'done') return owned;
      const json = {
        subscription_id: mandateToken,
        payment_id: gatewayOrderId,
        payment_type: facts.chargeType,
        payment_amount: jsonNumber(formatRupees(amountPaise)),
        payment_schedule_date: istDate(clock.now()),
      };
      const request = { operation: 'debit', path: facts.paths.charges, json, idempotencyKey };
      const charge = await resolveRepeat(await post(request, chargeAnswer), () =>
        getCharge(mandateToken, gatewayOrderId),
      );
      return mapDone(charge, ({ gatewayPaymentId }) => ({ gatewayDebitId: gatewayPaymentId }));
    },

    async listCharges(subscriptionId, orderId) {
      const found = await getCharge(subscriptionId, orderId);
      if (found.kind === 'refused' && found.code === GATEWAY_NOT_FOUND) return done([]);
      return mapDone(found, ({ initiatedAt = clock.now(), ...charge }) => [
        { ...charge, createdAt: initiatedAt },
      ]);
    },
  };
};
