import type { Clock } from '../../../platform/clock/clock.ts';
import type { Random } from '../../../platform/ids/random.ts';
import type { CollaboratorStore } from './collaborator.ts';

/** Fields of a gateway's own protocol, saved and shown as they are. */
type ProtocolFields = Readonly<Record<string, unknown>>;

export interface GatewayOrder {
  readonly id: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly receipt: string;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly extra?: ProtocolFields;
}

/** One attempt to pay an order. */
export interface GatewayPayment {
  readonly id: string;
  readonly order_id: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly method: string;
  readonly status: 'captured' | 'failed';
  readonly created_at: string;
  readonly extra?: ProtocolFields;
}

/** Money paid back. */
export interface GatewayRefund {
  readonly id: string;
  readonly payment_id: string;
  readonly amount_paise: number;
  readonly status: 'processed';
  readonly created_at: string;
}

/** Money that the customer's bank took back. */
export interface GatewayDispute {
  readonly id: string;
  readonly payment_id: string;
  readonly amount_paise: number;
  readonly status: 'lost';
  readonly created_at: string;
}

/** Takes money under a mandate, without a checkout. */
export interface GatewayDebit {
  readonly id: string;
  readonly order_id: string;
  readonly reference: string;
  readonly mandate_token: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly status: 'pending' | 'captured' | 'failed';
  readonly created_at: string;
  /** Also of the payment that the debit ends as. */
  readonly extra?: ProtocolFields;
}

interface Saved {
  readonly orders: readonly GatewayOrder[];
  readonly payments: readonly GatewayPayment[];
  readonly refunds: readonly GatewayRefund[];
  /** Absent in a file that was written before there were disputes. */
  readonly disputes?: readonly GatewayDispute[];
  readonly debits: readonly GatewayDebit[];
}

/** A row without what the store adds; a gateway whose caller chooses the id gives that too. */
type New<T extends { readonly id: string; readonly created_at: string }> = Omit<
  T,
  'id' | 'created_at'
> &
  Partial<Pick<T, 'id'>>;

type GatewayRowKind = 'order' | 'payment' | 'refund' | 'dispute' | 'debit';

/** Returns a new id of a row of that kind, in the gateway's own form. */
type GatewayIds = (kind: GatewayRowKind) => string;

/** Creates ids of a prefix and random letters, such as `order_9f3c`. */
export const prefixedIds =
  (random: Random, prefixes: Readonly<Record<GatewayRowKind, string>>): GatewayIds =>
  (kind) =>
    `${prefixes[kind]}_${random.uuid().replaceAll('-', '')}`;

/** Holds one gateway's orders, payments, refunds, disputes and debits. */
export interface GatewayStore extends CollaboratorStore {
  order(id: string | undefined): GatewayOrder | undefined;
  orderByReceipt(receipt: string): GatewayOrder | undefined;
  addOrder(order: New<GatewayOrder>): GatewayOrder;
  newestOrders(count: number): readonly GatewayOrder[];
  payment(id: string | undefined): GatewayPayment | undefined;
  addPayment(payment: New<GatewayPayment>): GatewayPayment;
  newestPayments(count: number): readonly GatewayPayment[];
  /** Oldest first. */
  paymentsOf(orderId: string): readonly GatewayPayment[];
  isPaid(orderId: string): boolean;
  addRefund(refund: New<GatewayRefund>): GatewayRefund;
  refundsOf(paymentId: string): readonly GatewayRefund[];
  refund(id: string | undefined): GatewayRefund | undefined;
  addDispute(dispute: New<GatewayDispute>): GatewayDispute;
  disputesOf(paymentId: string): readonly GatewayDispute[];
  /** Those of all payments, newest first. */
  disputes(): readonly GatewayDispute[];
  debit(id: string): GatewayDebit | undefined;
  debitByReference(reference: string): GatewayDebit | undefined;
  addDebit(debit: New<GatewayDebit>): GatewayDebit;
  replaceDebit(debit: GatewayDebit): void;
  pendingDebits(): readonly GatewayDebit[];
}

const appendTo = <T>(lists: Map<string, T[]>, key: string, value: T): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
};

/** Creates the records of one payment gateway, whatever protocol it speaks. */
export const createGatewayStore = (clock: Clock, newId: GatewayIds): GatewayStore => {
  const orders = new Map<string, GatewayOrder>();
  const ordersByReceipt = new Map<string, GatewayOrder>();
  const payments = new Map<string, GatewayPayment>();
  const paymentsByOrder = new Map<string, GatewayPayment[]>();
  const refunds = new Map<string, GatewayRefund[]>();
  const disputes = new Map<string, GatewayDispute[]>();
  const debits = new Map<string, GatewayDebit>();
  const debitIds = new Map<string, string>();

  const stamp = (kind: GatewayRowKind) => ({
    id: newId(kind),
    created_at: clock.now().toISOString(),
  });
  const putOrder = (order: GatewayOrder): GatewayOrder => {
    orders.set(order.id, order);
    ordersByReceipt.set(order.receipt, order);
    return order;
  };
  const putPayment = (payment: GatewayPayment): GatewayPayment => {
    payments.set(payment.id, payment);
    appendTo(paymentsByOrder, payment.order_id, payment);
    return payment;
  };
  const putRefund = (refund: GatewayRefund): GatewayRefund => {
    appendTo(refunds, refund.payment_id, refund);
    return refund;
  };
  const putDispute = (dispute: GatewayDispute): GatewayDispute => {
    appendTo(disputes, dispute.payment_id, dispute);
    return dispute;
  };
  const putDebit = (debit: GatewayDebit): GatewayDebit => {
    debits.set(debit.id, debit);
    debitIds.set(debit.reference, debit.id);
    return debit;
  };
  const paymentsOf = (orderId: string) => paymentsByOrder.get(orderId) ?? [];
  const clear = (): void => {
    for (const map of [orders, ordersByReceipt, payments, paymentsByOrder]) map.clear();
    for (const map of [refunds, disputes, debits, debitIds]) map.clear();
  };

  return {
    order: (id) => (id === undefined ? undefined : orders.get(id)),
    orderByReceipt: (receipt) => ordersByReceipt.get(receipt),
    addOrder: (order) => putOrder({ ...stamp('order'), ...order }),
    newestOrders: (count) => [...orders.values()].slice(-count).toReversed(),
    payment: (id) => (id === undefined ? undefined : payments.get(id)),
    addPayment: (payment) => putPayment({ ...stamp('payment'), ...payment }),
    newestPayments: (count) => [...payments.values()].slice(-count).toReversed(),
    paymentsOf,
    isPaid: (orderId) => paymentsOf(orderId).some(({ status }) => status === 'captured'),
    addRefund: (refund) => putRefund({ ...stamp('refund'), ...refund }),
    refundsOf: (paymentId) => refunds.get(paymentId) ?? [],
    refund: (id) => [...refunds.values()].flat().find((refund) => refund.id === id),
    addDispute: (dispute) => putDispute({ ...stamp('dispute'), ...dispute }),
    disputesOf: (paymentId) => disputes.get(paymentId) ?? [],
    disputes: () =>
      [...disputes.values()]
        .flat()
        .toSorted((one, other) => other.created_at.localeCompare(one.created_at)),
    debit: (id) => debits.get(id),
    debitByReference: (reference) => debits.get(debitIds.get(reference) ?? ''),
    addDebit: (debit) => putDebit({ ...stamp('debit'), ...debit }),
    replaceDebit: (debit) => {
      putDebit(debit);
    },
    pendingDebits: () => [...debits.values()].filter(({ status }) => status === 'pending'),
    save: (): Saved => ({
      orders: [...orders.values()],
      payments: [...payments.values()],
      refunds: [...refunds.values()].flat(),
      disputes: [...disputes.values()].flat(),
      debits: [...debits.values()],
    }),
    load(value) {
      // Written by `save`; the file's version was checked.
      const saved = value as Saved;
      clear();
      for (const order of saved.orders) putOrder(order);
      for (const payment of saved.payments) putPayment(payment);
      for (const refund of saved.refunds) putRefund(refund);
      for (const dispute of saved.disputes ?? []) putDispute(dispute);
      for (const debit of saved.debits) putDebit(debit);
    },
    clear,
  };
};
