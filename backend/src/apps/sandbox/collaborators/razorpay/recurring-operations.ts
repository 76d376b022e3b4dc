import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Operation,
} from '../../core/collaborator.ts';
import { isSparseCustomer } from '../../core/left-out.ts';
import type { GatewaySimulator } from '../../core/create-checkout-simulator.ts';
import type { GatewayStore } from '../../core/gateway-store.ts';
import { badRequest, readBody, unknownId } from '../razorpayx/razorpayx.wire.ts';
import { alreadyPaid, recurringSchema } from './razorpay.wire.ts';

export interface RazorpayDeps {
  readonly store: GatewayStore;
  readonly simulator: GatewaySimulator;
  readonly checkoutSignature: (orderId: string, paymentId: string) => string;
}

// Customers and their mandates are made at the gateway's own checkout. Here every id is a valid
// customer or mandate. If an id has ten digits, as cust_9812345678 does, they are the customer's
// contact.
const getCustomer = ({ params }: Call): Answer => {
  const id = params['customerId'] ?? '';
  if (!/^cust_\w+$/u.test(id)) return unknownId;
  const contact = `+91${/^cust_(\d{10})$/u.exec(id)?.[1] ?? '9876543210'}`;
  const known = { name: 'Asha Rao', email: 'customer@example.com', contact };
  return okAnswer({ id, entity: 'customer', ...known, notes: [], created_at: 1_767_225_600 });
};

// A repeat is not recognised here. It is a second payment, as it may be at the gateway.
const debit = (deps: RazorpayDeps, { body }: Call): Answer => {
  const { store, simulator, checkoutSignature } = deps;
  const read = readBody(recurringSchema, body);
  if ('refused' in read) return read.refused;
  const { order_id, amount, currency, customer_id, token, notes } = read.value;
  const order = store.order(order_id);
  if (order === undefined) return unknownId;
  if (store.isPaid(order.id)) return alreadyPaid;
  if (amount !== order.amount_paise || currency !== order.currency) {
    return badRequest('Payment amount is different from the order amount', 'amount');
  }
  const added = store.addDebit({
    order_id,
    reference: order_id,
    mandate_token: token,
    amount_paise: amount,
    currency,
    status: 'pending',
    extra: { notes, customer_id, token_id: token },
  });
  simulator.endDebitLater(added);
  return okAnswer({
    razorpay_payment_id: added.id,
    razorpay_order_id: order_id,
    razorpay_signature: checkoutSignature(order_id, added.id),
  });
};

/** Serves recurring payments, which debit a mandate (page api/payments/recurring-payments). */
export const recurringOperations = (deps: RazorpayDeps): readonly Operation[] => {
  return [
    {
      name: 'debit',
      method: 'POST',
      path: '/v1/payments/create/recurring',
      handle: (call) => debit(deps, call),
      idempotencyKey: ({ body }) => textOf(fieldsOf(fieldsOf(body)['notes'])['debit_key']),
    },
    {
      name: 'get-customer',
      method: 'GET',
      path: '/v1/customers/:customerId',
      shape: { spare: ['name', 'email'], needed: ['contact'] },
      // The ten digits of a customer's id are the phone number.
      isSparse: ({ params }) => isSparseCustomer(params['customerId']),
      handle: getCustomer,
    },
  ];
};
