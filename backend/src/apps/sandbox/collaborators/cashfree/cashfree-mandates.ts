import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type CollaboratorStore,
  type Operation,
} from '../../core/collaborator.ts';
import type { GatewaySimulator } from '../../core/create-checkout-simulator.ts';
import type { GatewayDebit, GatewayOrder, GatewayStore } from '../../core/gateway-store.ts';
import { overstateDecimal } from '../../core/wrong-amount.ts';
import { chargeView, subscriptionOf } from './cashfree-views.ts';
import {
  chargeSchema,
  idempotencyRefusal,
  readBody,
  refusal,
  subscriptionSchema,
} from './cashfree.wire.ts';

/** Stores the phone number of each mandate's customer. */
export interface MandateStore extends CollaboratorStore {
  phoneOf(subscriptionId: string): string | undefined;
  /** Adds a mandate. A mandate keeps its first customer. */
  add(subscriptionId: string, phone: string): void;
}

export const createMandateStore = (): MandateStore => {
  const phones = new Map<string, string>();
  return {
    phoneOf: (id) => phones.get(id),
    add(id, phone) {
      if (!phones.has(id)) phones.set(id, phone);
    },
    save: () => [...phones],
    load(saved) {
      phones.clear();
      // Written by `save`. The file's version was checked.
      for (const [id, phone] of saved as [string, string][]) phones.set(id, phone);
    },
    clear: () => phones.clear(),
  };
};

/**
 * Adds the mandate that an order names as its customer's, unless the sandbox already knows it as
 * another customer's. So any text can be a mandate token, without a checkout for mandates.
 */
export const adoptMandate = (mandates: MandateStore, order: GatewayOrder): void => {
  const token = textOf(fieldsOf(order.extra?.['order_tags'])['subscription_id']);
  const phone = textOf(fieldsOf(order.extra?.['customer_details'])['customer_phone']);
  if (token !== undefined && phone !== undefined) mandates.add(token, phone);
};

interface MandateDeps {
  readonly store: GatewayStore;
  readonly mandates: MandateStore;
  readonly simulator: GatewaySimulator;
}

const noSubscription = refusal(404, 'subscription_not_found', 'Subscription does not exist');

const subscriptionView = (id: string, phone: string) => ({
  subscription_id: id,
  cf_subscription_id: id,
  subscription_status: 'ACTIVE',
  customer_details: { customer_phone: phone },
});

const createSubscription = ({ mandates }: MandateDeps, { body }: Call): Answer => {
  const read = readBody(subscriptionSchema, body);
  if ('refused' in read) return read.refused;
  const { subscription_id: id, customer_details: customer } = read.value;
  if (mandates.phoneOf(id) !== undefined) {
    return refusal(409, 'subscription_already_exists', 'Subscription already exists');
  }
  mandates.add(id, customer.customer_phone);
  return okAnswer(subscriptionView(id, customer.customer_phone));
};

const getSubscription = ({ mandates }: MandateDeps, { params }: Call): Answer => {
  const id = params['subscriptionId'] ?? '';
  const phone = mandates.phoneOf(id);
  return phone === undefined ? noSubscription : okAnswer(subscriptionView(id, phone));
};

/** Shows a charge. It is the requested debit, or its payment once the debit has ended. */
const currentCharge = ({ store }: MandateDeps, debit: GatewayDebit) =>
  chargeView(store.payment(debit.id) ?? debit);

const charge = (deps: MandateDeps, { body, headers }: Call): Answer => {
  const { store, mandates, simulator } = deps;
  const read = readBody(chargeSchema, body);
  if ('refused' in read) return read.refused;
  const { subscription_id: token, payment_id: orderId, payment_amount: paise } = read.value;
  if (mandates.phoneOf(token) === undefined) return noSubscription;
  const key = textOf(headers['x-idempotency-key']) ?? '';
  const request = { key, body: JSON.stringify(body) };
  const known = store.debitByReference(orderId);
  if (known !== undefined) {
    if (key === '' || known.extra?.['key'] !== key) {
      return refusal(409, 'payment_already_exists', 'Payment with same id is already present');
    }
    return known.extra['body'] === request.body
      ? okAnswer(currentCharge(deps, known))
      : idempotencyRefusal;
  }
  const order = store.order(orderId);
  if (order === undefined) return refusal(400, 'payment_id_invalid', 'There is no such order');
  const added = store.addDebit({
    order_id: orderId,
    reference: orderId,
    mandate_token: token,
    amount_paise: paise,
    currency: 'INR',
    status: 'pending',
    extra: {
      ...request,
      subscription_id: token,
      payment_schedule_date: read.value.payment_schedule_date,
    },
  });
  simulator.endDebitLater(added);
  return okAnswer(chargeView(added));
};

const getCharge = (deps: MandateDeps, { params }: Call): Answer => {
  const debit = deps.store.debitByReference(params['paymentId'] ?? '');
  return debit === undefined || subscriptionOf(debit) !== params['subscriptionId']
    ? refusal(404, 'payment_not_found', 'Payment does not exist')
    : okAnswer(currentCharge(deps, debit));
};

/** Serves subscriptions, which are Cashfree's mandates, and charges under them. */
export const mandateOperations = (deps: MandateDeps): readonly Operation[] => {
  const misstate = overstateDecimal('payment_amount', 2, 100n);
  const subscription = '/subscriptions/:subscriptionId';
  return [
    {
      name: 'debit',
      method: 'POST',
      path: '/subscriptions/pay',
      handle: (call) => charge(deps, call),
      idempotencyKey: ({ headers }) => textOf(headers['x-idempotency-key']),
      misstate,
    },
    {
      name: 'create-mandate',
      method: 'POST',
      path: '/subscriptions',
      handle: (call) => createSubscription(deps, call),
    },
    {
      name: 'get-mandate',
      method: 'GET',
      path: subscription,
      shape: { needed: ['customer_details'] },
      handle: (call) => getSubscription(deps, call),
    },
    {
      name: 'get-debit',
      method: 'GET',
      path: `${subscription}/payments/:paymentId`,
      shape: { spare: ['payment_initiated_date', 'payment_type'], state: 'payment_status' },
      handle: (call) => getCharge(deps, call),
      misstate,
    },
  ];
};
