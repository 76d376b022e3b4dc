import { toSafePaise } from '../../../money/index.ts';
import { done, mapDone, refused } from '../../../platform/outcome/outcome.ts';
import { GATEWAY_REFUSED } from '../port.ts';
import type { PaymentGateway } from '../port.ts';
import { listPaymentsOf, type RazorpayCalls } from './create-razorpay-calls.ts';
import * as facts from './razorpay.facts.ts';
import { customerAnswer, orderContactAnswer, recurringAnswer } from './razorpay.schemas.ts';

type Debits = Required<Pick<PaymentGateway, 'debitMandate'>>;

/**
 * Debits mandates by recurring payments (page api/payments/recurring-payments), which have no
 * idempotency key: the debit of a key is looked for among the order's payments before it is made.
 * The caller makes one debit of an order at a time. A mandate is debited only for an order of the
 * customer who gave it, told by the phone number: the token is the caller's to choose.
 */
export const createRazorpayDebits = (calls: RazorpayCalls): Debits => ({
  async debitMandate({ gatewayOrderId, mandateToken, amountPaise, currency, idempotencyKey }) {
    const [, customerId, token] = facts.mandateTokenPattern.exec(mandateToken) ?? [];
    if (customerId === undefined || token === undefined) {
      return refused(GATEWAY_REFUSED, 'the mandate token is not cust_ID/token_ID');
    }
    const listed = await listPaymentsOf(calls, gatewayOrderId);
    if (listed.kind !== 'done') return listed;
    const known = listed.value.find(({ debitKey }) => debitKey === idempotencyKey);
    if (known !== undefined) return done({ gatewayDebitId: known.gatewayPaymentId });
    const customer = await calls.get(
      'get-customer',
      facts.paths.customer(customerId),
      customerAnswer,
    );
    if (customer.kind !== 'done') return customer;
    const { email, contact } = customer.value;
    const order = await calls.get(
      'get-order',
      facts.paths.order(encodeURIComponent(gatewayOrderId)),
      orderContactAnswer,
    );
    if (order.kind !== 'done') return order;
    if (!facts.isSameContact(order.value.notes[facts.contactNote] ?? '', contact)) {
      return refused(GATEWAY_REFUSED, 'the mandate is of another customer');
    }
    const debited = await calls.post(
      {
        operation: 'debit',
        path: facts.paths.recurring,
        json: {
          email,
          contact,
          amount: toSafePaise(amountPaise),
          currency,
          order_id: gatewayOrderId,
          customer_id: customerId,
          token,
          recurring: facts.recurringFlag,
          description: 'Installment',
          notes: { [facts.debitKeyNote]: idempotencyKey },
        },
      },
      recurringAnswer,
    );
    return mapDone(debited, ({ razorpay_payment_id: id }) => ({ gatewayDebitId: id }));
  },
});
