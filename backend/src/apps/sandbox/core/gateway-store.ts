import type { Clock } from '../../../platform/clock/clock.ts';
import type { Random } from '../../../platform/ids/random.ts';
import type { CollaboratorStore } from './collaborator.ts';

/** Fields of a gateway's own protocol. They are saved and shown unchanged. */
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

/** An attempt to pay an order. */
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

/** Money that was paid back. */
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

/** A debit, which takes money under a mandate without a checkout. */
export interface GatewayDebit {
  readonly id: string;
  readonly order_id: string;
  readonly reference: string;
  readonly mandate_token: string;
  readonly amount_paise: number;
  readonly currency: string;
  readonly status: 'pending' | 'captured' | 'failed';
  readonly created_at: string;
  /** The fields are copied to the payment that the debit results in. */
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

/**
 * A row without the fields that the store adds. If the gateway's caller chooses the id, the row has
 * that id.
 */
type New<T extends { readonly id: string; readonly created_at: string }> = Omit<
  T,
  'id' | 'created_at'
> &
  Partial<Pick<T, 'id'>>;

type GatewayRowKind = 'order' | 'payment' | 'refund' | 'dispute' | 'debit';

/** Returns a new id of a row of that kind, in the gateway's own form. */
type GatewayIds = (kind: GatewayRowKind) => string;

/** Creates ids of a prefix and random hex digits, such as `order_9f3c`. */
export const prefixedIds =
  (random: Random, prefixes: Readonly<Record<GatewayRowKind, string>>): GatewayIds =>
  (kind) =>
    `${prefixes[kind]}_${random.uuid().replaceAll('-', '')}`;

/** Stores one gateway's orders, payments, refunds, disputes and debits. */
export interface GatewayStore extends CollaboratorStore {
  order(id: string | undefined): GatewayOrder | undefined;
  orderByReceipt(receipt: string): GatewayOrder | undefined;
  addOrder(order: New<GatewayOrder>): GatewayOrder;
  newestOrders(count: number): readonly GatewayOrder[];
  payment(id: string | undefined): GatewayPayment | undefined;
  addPayment(payment: New<GatewayPayment>): GatewayPayment;
  newestPayments(count: number): readonly GatewayPayment[];
  /** Lists an order's payments, oldest first. */
  paymentsOf(orderId: string): readonly GatewayPayment[];
  isPaid(orderId: string): boolean;
  addRefund(refund: New<GatewayRefund>): GatewayRefund;
  refundsOf(paymentId: string): readonly GatewayRefund[];
  refund(id: string | undefined): GatewayRefund | undefined;
  addDispute(dispute: New<GatewayDispute>): GatewayDispute;
  disputesOf(paymentId: string): readonly GatewayDispute[];
  /** Lists the refunds of all payments, newest first. */
  refunds(): readonly GatewayRefund[];
  disputes(): readonly GatewayDispute[];
  debit(id: string): GatewayDebit | undefined;
  debitByReference(reference: string): GatewayDebit | undefined;
  addDebit(debit: New<GatewayDebit>): GatewayDebit;
  replaceDebit(debit: GatewayDebit): void;
  pendingDebits(): readonly GatewayDebit[];
}

/** The rows and their indexes. */
interface Rows {
  readonly orders: Map<string, GatewayOrder>;
  readonly ordersByReceipt: Map<string, GatewayOrder>;
  readonly payments: Map<string, GatewayPayment>;
  readonly paymentsByOrder: Map<string, GatewayPayment[]>;
  readonly refundsByPayment: Map<string, GatewayRefund[]>;
  readonly disputesByPayment: Map<string, GatewayDispute[]>;
  readonly debits: Map<string, GatewayDebit>;
  readonly debitIdsByReference: Map<string, string>;
}

const createRows = (): Rows => ({
  orders: new Map(),
  ordersByReceipt: new Map(),
  payments: new Map(),
  paymentsByOrder: new Map(),
  refundsByPayment: new Map(),
  disputesByPayment: new Map(),
  debits: new Map(),
  debitIdsByReference: new Map(),
});

const clearRows = (rows: Rows): void => {
  for (const map of Object.values(rows)) map.clear();
};

const appendTo = <T>(lists: Map<string, T[]>, key: string, value: T): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
};

/** Returns the rows of all payments, newest first. */
const newestOf = <T extends { readonly created_at: string }>(
  byPayment: ReadonlyMap<string, readonly T[]>,
): readonly T[] =>
  [...byPayment.values()]
    .flat()
    .toSorted((one, other) => other.created_at.localeCompare(one.created_at));

const putOrder = (rows: Rows, order: GatewayOrder): GatewayOrder => {
  rows.orders.set(order.id, order);
  rows.ordersByReceipt.set(order.receipt, order);
  return order;
};

const putPayment = (rows: Rows, payment: GatewayPayment): GatewayPayment => {
  rows.payments.set(payment.id, payment);
  appendTo(rows.paymentsByOrder, payment.order_id, payment);
  return payment;
};

const putRefund = (rows: Rows, refund: GatewayRefund): GatewayRefund => {
  appendTo(rows.refundsByPayment, refund.payment_id, refund);
  return refund;
};

const putDispute = (rows: Rows, dispute: GatewayDispute): GatewayDispute => {
  appendTo(rows.disputesByPayment, dispute.payment_id, dispute);
  return dispute;
};

const putDebit = (rows: Rows, debit: GatewayDebit): GatewayDebit => {
  rows.debits.set(debit.id, debit);
  rows.debitIdsByReference.set(debit.reference, debit.id);
  return debit;
};

const saveRows = (rows: Rows): Saved => ({
  orders: [...rows.orders.values()],
  payments: [...rows.payments.values()],
  refunds: [...rows.refundsByPayment.values()].flat(),
  disputes: [...rows.disputesByPayment.values()].flat(),
  debits: [...rows.debits.values()],
});

const loadRows = (rows: Rows, saved: Saved): void => {
  clearRows(rows);
  for (const order of saved.orders) putOrder(rows, order);
  for (const payment of saved.payments) putPayment(rows, payment);
  for (const refund of saved.refunds) putRefund(rows, refund);
  for (const dispute of saved.disputes ?? []) putDispute(rows, dispute);
  for (const debit of saved.debits) putDebit(rows, debit);
};

/** Creates the store of a payment gateway, for any protocol. */
export const createGatewayStore = (clock: Clock, newId: GatewayIds): GatewayStore => {
  const rows = createRows();
  const { orders, payments, refundsByPayment, disputesByPayment, debits } = rows;
  const stamp = (kind: GatewayRowKind) => ({
    id: newId(kind),
    created_at: clock.now().toISOString(),
  });
  const paymentsOf = (orderId: string) => rows.paymentsByOrder.get(orderId) ?? [];

  return {
    order: (id) => (id === undefined ? undefined : orders.get(id)),
    orderByReceipt: (receipt) => rows.ordersByReceipt.get(receipt),
    addOrder: (order) => putOrder(rows, { ...stamp('order'), ...order }),
    newestOrders: (count) => [...orders.values()].slice(-count).toReversed(),
    payment: (id) => (id === undefined ? undefined : payments.get(id)),
    addPayment: (payment) => putPayment(rows, { ...stamp('payment'), ...payment }),
    newestPayments: (count) => [...payments.values()].slice(-count).toReversed(),
    paymentsOf,
    isPaid: (orderId) => paymentsOf(orderId).some(({ status }) => status === 'captured'),
    addRefund: (refund) => putRefund(rows, { ...stamp('refund'), ...refund }),
    refundsOf: (paymentId) => refundsByPayment.get(paymentId) ?? [],
    refund: (id) => [...refundsByPayment.values()].flat().find((refund) => refund.id === id),
    addDispute: (dispute) => putDispute(rows, { ...stamp('dispute'), ...dispute }),
    disputesOf: (paymentId) => disputesByPayment.get(paymentId) ?? [],
    refunds: () => newestOf(refundsByPayment),
    disputes: () => newestOf(disputesByPayment),
    debit: (id) => debits.get(id),
    debitByReference: (reference) => debits.get(rows.debitIdsByReference.get(reference) ?? ''),
    addDebit: (debit) => putDebit(rows, { ...stamp('debit'), ...debit }),
    replaceDebit: (debit) => {
      putDebit(rows, debit);
    },
    pendingDebits: () => [...debits.values()].filter(({ status }) => status === 'pending'),
    save: () => saveRows(rows),
    // The value was written by `save`, and the file's version was checked.
    load: (value) => loadRows(rows, value as Saved),
    clear: () => clearRows(rows),
  };
};
