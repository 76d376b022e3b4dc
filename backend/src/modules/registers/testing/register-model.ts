import type { Db } from '../../../platform/db/index.ts';
import { addMs } from '../../../platform/clock/clock.ts';
import { formatGrams, gramsFromDatabase } from '../../../money/index.ts';

/*
 * A second implementation of the registers in plain TypeScript over the rows of the tables. Tests
 * compare the SQL of the product with it.
 */

type Cell = string | number | null;
export type ModelRow = Readonly<Record<string, Cell>>;
interface Entry {
  readonly row: ModelRow;
  readonly moment: Date;
  readonly key: string;
  /** The ids and references by which an accountant finds the row. */
  readonly names: readonly (string | null | undefined)[];
}
export interface ModelFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly status?: string | undefined;
  readonly q?: string | undefined;
}

const istDay = (at: Date): string =>
  addMs(at, 330 * 60_000)
    .toISOString()
    .slice(0, 10);
const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
const int = (paise: bigint | null | undefined): number | null =>
  paise === null || paise === undefined ? null : Number(paise);
const weight = (grams: { s: number; toFixed(decimals: number): string } | null): string | null =>
  grams === null ? null : formatGrams(gramsFromDatabase(grams));
const initials = (name: string | null | undefined): string | null =>
  name === null || name === undefined
    ? null
    : name
        .replaceAll(/(\S)\S*/gu, '$1***')
        .replaceAll(/\s+/gu, ' ')
        .trim();
const minus = (a: bigint | null, b: bigint | null): number | null =>
  a === null || b === null ? null : Number(a - b);

export const loadTables = async (db: Db) => ({
  orders: await db.goldOrder.findMany({
    include: {
      user: true,
      payout: { include: { attempts: true } },
      paymentOrders: { include: { payments: true } },
    },
  }),
  payments: await db.gatewayPayment.findMany({
    include: { paymentOrder: { include: { user: true } } },
  }),
  products: await db.productOrder.findMany({
    include: { user: true, lines: true, events: true, invoices: true },
  }),
  reversals: await db.paymentReversal.findMany(),
  payouts: await db.payout.findMany({
    include: { user: true, bankAccount: true, attempts: true },
  }),
  holdings: await db.holding.findMany({ include: { user: true, movements: true } }),
});
type Tables = Awaited<ReturnType<typeof loadTables>>;

const buys = ({ orders }: Tables): Entry[] =>
  orders
    .filter(({ type }) => type !== 'SELL')
    .map((o) => {
      const isSupplied = o.allocatedAt !== null;
      const of = <T>(value: T): T | null => (isSupplied ? value : null);
      const moment = o.allocatedAt ?? o.createdAt;
      const gst = of(o.gstPaise);
      return {
        moment,
        key: o.id,
        names: [
          o.id,
          o.userId,
          o.quoteId,
          o.sipPlanId,
          o.providerTxId,
          ...o.paymentOrders.flatMap((p) => [
            p.id,
            p.gatewayOrderId,
            ...p.payments.flatMap((g) => [g.id, g.gatewayPaymentId]),
          ]),
        ],
        row: {
          date: istDay(moment),
          orderId: o.id,
          type: o.type,
          status: o.status,
          customerId: o.userId,
          customerName: initials(o.user.fullName),
          orderedPaise: int(o.amountPaise),
          grams: weight(of(o.grams)),
          pricePerGramPaise: int(of(o.pricePerGramPaise)),
          goldValuePaise: int(of(o.goldValuePaise)),
          gstRateBps: of(o.gstRateBps),
          gstPaise: int(gst),
          cgstPaise: gst === null ? null : Math.floor(Number(gst) / 2),
          sgstPaise: gst === null ? null : Math.ceil(Number(gst) / 2),
          amountPaise: int(of(o.amountPaise)),
          roundingPaise: int(of(o.roundingPaise)),
          providerAmountPaise: int(of(o.providerAmountPaise)),
          providerDifferencePaise: of(minus(o.amountPaise, o.providerAmountPaise)),
          providerTxId: o.providerTxId,
          sipPlanId: o.sipPlanId,
          installmentNo: o.installmentNo,
          manualReviewCode: o.manualReviewCode,
          refundReference: o.refundReference,
          createdAt: iso(o.createdAt),
          allocatedAt: iso(o.allocatedAt),
          recoveredAt: iso(o.recoveredAt),
        },
      };
    });

const sells = ({ orders }: Tables): Entry[] =>
  orders
    .filter(({ type }) => type === 'SELL')
    .map((o) => {
      const of = <T>(value: T): T | null => (o.confirmedAt === null ? null : value);
      const moment = o.confirmedAt ?? o.createdAt;
      return {
        moment,
        key: o.id,
        names: [
          o.id,
          o.userId,
          o.quoteId,
          o.providerTxId,
          o.payout?.id,
          o.payout?.utr,
          ...(o.payout?.attempts ?? []).map((attempt) => attempt.providerPayoutId),
        ],
        row: {
          date: istDay(moment),
          orderId: o.id,
          status: o.status,
          customerId: o.userId,
          customerName: initials(o.user.fullName),
          orderedPaise: int(o.amountPaise),
          grams: weight(of(o.grams)),
          pricePerGramPaise: int(of(o.pricePerGramPaise)),
          proceedsPaise: int(of(o.proceedsPaise)),
          withheldPaise: int(of(o.withheldPaise)),
          providerAmountPaise: int(of(o.providerAmountPaise)),
          providerDifferencePaise: of(minus(o.providerAmountPaise, o.proceedsPaise)),
          providerTxId: o.providerTxId,
          payoutId: o.payout?.id ?? null,
          payoutStatus: o.payout?.status ?? null,
          manualReviewCode: o.manualReviewCode,
          createdAt: iso(o.createdAt),
          confirmedAt: iso(o.confirmedAt),
        },
      };
    });

const payments = ({ payments: all, reversals }: Tables): Entry[] =>
  all.map((g) => {
    const isRupees = g.currency === 'INR';
    const reversed = reversals.filter(
      (one) => one.gateway === g.gateway && one.gatewayPaymentId === g.gatewayPaymentId,
    );
    const sum = reversed.reduce((before, { amountPaise }) => before + amountPaise, 0n);
    return {
      moment: g.learnedAt,
      key: g.id,
      names: [
        g.id,
        g.paymentOrderId,
        g.gatewayPaymentId,
        g.gatewayOrderId,
        g.paymentOrder?.orderId,
        g.paymentOrder?.userId,
      ],
      row: {
        date: istDay(g.learnedAt),
        paymentId: g.id,
        status: g.status,
        disposition: g.disposition,
        gateway: g.gateway,
        gatewayPaymentId: g.gatewayPaymentId,
        gatewayOrderId: g.gatewayOrderId,
        paymentOrderId: g.paymentOrderId,
        orderId: g.paymentOrder?.orderId ?? null,
        customerId: g.paymentOrder?.userId ?? null,
        customerName: initials(g.paymentOrder?.user.fullName),
        method: g.method,
        currency: g.currency,
        reportedAmount: int(g.amountPaise),
        capturedPaise: isRupees && g.status !== 'FAILED' ? int(g.amountPaise) : null,
        refundedPaise: isRupees && g.status === 'REFUNDED' ? int(g.amountPaise) : null,
        reversedPaise: isRupees && reversed.length > 0 ? int(sum) : null,
        refundReference: g.refundReference,
        learnedAt: iso(g.learnedAt),
        gatewayAt: iso(g.gatewayAt),
        refundedAt: iso(g.refundedAt),
      },
    };
  });

const payouts = ({ payouts: all }: Tables): Entry[] =>
  all.map((t) => ({
    moment: t.paidAt ?? t.createdAt,
    key: t.id,
    names: [
      t.id,
      t.orderId,
      t.userId,
      t.bankAccountId,
      t.utr,
      ...t.attempts.map((attempt) => attempt.providerPayoutId),
    ],
    row: {
      date: istDay(t.paidAt ?? t.createdAt),
      payoutId: t.id,
      orderId: t.orderId,
      status: t.status,
      customerId: t.userId,
      customerName: initials(t.user.fullName),
      amountPaise: int(t.amountPaise),
      paidPaise: t.status === 'PAID' ? int(t.amountPaise) : null,
      mode: t.mode,
      attempt: t.attempt,
      provider: t.provider,
      providerPayoutId: t.providerPayoutId,
      utr: t.utr,
      accountLast4: t.bankAccount.accountLast4,
      hold: t.hold,
      approvedBy: t.approvedBy,
      createdAt: iso(t.createdAt),
      paidAt: iso(t.paidAt),
    },
  }));

/** Adds up all movements from the first to the end of the period. */
const holdings = ({ holdings: all }: Tables, { from, to }: ModelFilter): Entry[] =>
  all.map((h) => {
    const moves = h.movements.map((m) => ({
      kind: m.kind,
      grams: gramsFromDatabase(m.grams),
      paise: m.investedPaise,
      day: istDay(m.at),
    }));
    const before = moves.filter(({ day }) => from !== undefined && day < from);
    const until = moves.filter(({ day }) => to === undefined || day <= to);
    const during = until.filter((move) => !before.includes(move));
    const gramsOf = (some: typeof moves): string => {
      const sum = some.reduce((total, { grams }) => total + grams, 0n);
      return formatGrams(sum as (typeof moves)[0]['grams']); // a sum of weights
    };
    const paiseOf = (some: typeof moves): number =>
      Number(some.reduce((total, { paise }) => total + paise, 0n));
    const of = (kind: string): string =>
      gramsOf(during.filter((move) => move.kind === kind)).replace('-', '');
    const closing = gramsOf(until);
    return {
      moment: h.createdAt,
      key: h.userId,
      names: [h.userId],
      row: {
        customerId: h.userId,
        customerName: initials(h.user.fullName),
        status: closing === '0.0000' ? 'EMPTY' : 'HELD',
        openingGrams: gramsOf(before),
        creditedGrams: of('CREDIT'),
        debitedGrams: of('DEBIT'),
        forfeitedGrams: of('FORFEITED'),
        recoveredGrams: of('RECOVERED'),
        closingGrams: closing,
        reservedGrams: weight(h.reserved),
        openingInvestedPaise: paiseOf(before),
        closingInvestedPaise: paiseOf(until),
        updatedAt: iso(h.updatedAt),
      },
    };
  });

/** Takes moments from the history and amounts from the lines, and not from the order's row. */
const productSales = ({ products }: Tables): Entry[] =>
  products.map((o) => {
    const momentOf = (status: string): Date | null =>
      o.events.find(({ toStatus }) => toStatus === status)?.at ?? null;
    const [shipped, returned] = [momentOf('SHIPPED'), momentOf('RETURNED')];
    const ifSent = (value: number): number | null => (shipped === null ? null : value);
    const ifBack = (value: number): number | null => (returned === null ? null : value);
    const gst = Number(o.lines.reduce((sum, { gstPaise }) => sum + gstPaise, 0n));
    const total =
      Number(o.lines.reduce((sum, { lineTotalPaise }) => sum + lineTotalPaise, 0n)) +
      Number(o.deliveryFeePaise);
    const received = Number(o.cashReceivedPaise);
    const numberOf = (kind: string): string | null =>
      o.invoices.find((invoice) => invoice.kind === kind)?.number ?? null;
    const moment = shipped ?? o.createdAt;
    return {
      moment,
      key: o.id,
      names: [
        o.id,
        o.userId,
        ...o.lines.map(({ productId }) => productId),
        ...o.invoices.map(({ number }) => number),
      ],
      row: {
        date: istDay(moment),
        orderId: o.id,
        status: o.status,
        customerId: o.userId,
        customerName: initials(o.user.fullName),
        invoiceNumber: numberOf('INVOICE'),
        creditNoteNumber: numberOf('CREDIT_NOTE'),
        orderedPaise: total,
        itemsPaise: ifSent(total - gst - Number(o.deliveryFeePaise)),
        gstRateBps: ifSent(o.gstRateBps),
        gstPaise: ifSent(gst),
        cgstPaise: ifSent(Math.floor(gst / 2)),
        sgstPaise: ifSent(Math.ceil(gst / 2)),
        deliveryPaise: ifSent(Number(o.deliveryFeePaise)),
        amountPaise: ifSent(total),
        receivedPaise: ifSent(received),
        outstandingPaise: returned === null ? ifSent(total - received) : null,
        returnedPaise: ifBack(total),
        returnedGstPaise: ifBack(gst),
        refundablePaise: ifBack(received),
        createdAt: iso(o.createdAt),
        shippedAt: iso(shipped),
        deliveredAt: iso(momentOf('DELIVERED')),
        returnedAt: iso(returned),
      },
    };
  });

const makers = { buys, sells, payments, payouts, holdings, 'product-sales': productSales };
export type RegisterName = keyof typeof makers;
export const registerNames = Object.keys(makers) as RegisterName[]; // its keys

const newestFirst = (a: Entry, b: Entry): number =>
  b.moment.getTime() - a.moment.getTime() || (a.key < b.key ? 1 : -1);
const byKey = (a: Entry, b: Entry): number => (a.key < b.key ? 1 : -1);

/** Returns the rows of a register that match a filter, in the register's order. */
export const modelRows = (name: RegisterName, tables: Tables, filter: ModelFilter): ModelRow[] => {
  const { from, to, status, q } = filter;
  return makers[name](tables, filter)
    .filter(({ moment, row, names }) => {
      const day = istDay(moment);
      const isIn = (from === undefined || day >= from) && (to === undefined || day <= to);
      return (
        (name === 'holdings' || isIn) &&
        (status === undefined || row['status'] === status) &&
        (q === undefined || names.includes(q))
      );
    })
    .toSorted(name === 'holdings' ? byKey : newestFirst)
    .map(({ row }) => row);
};

/** Returns all ids and references by which a row of a register can be found. */
export const modelNames = (name: RegisterName, tables: Tables): string[] =>
  makers[name](tables, {}).flatMap(({ names }) =>
    names.filter((one) => one !== null && one !== undefined),
  );

const units = (grams: string): bigint => {
  const [whole = '', fraction = ''] = grams.split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
};

/** Adds up the columns that a register sums. */
export const modelTotals = (rows: readonly ModelRow[], summed: readonly string[]): ModelRow =>
  Object.fromEntries(
    summed.map((column) => {
      const values = rows.map((row) => row[column] ?? null).filter((value) => value !== null);
      if (/grams$/iu.test(column)) {
        const sum = values.reduce<bigint>((total, value) => total + units(String(value)), 0n);
        return [column, formatGrams(gramsFromDatabase(decimal(sum)))];
      }
      return [column, values.reduce<number>((total, value) => total + Number(value), 0)];
    }),
  );

const decimal = (value: bigint): string => {
  const digits = value.toString().padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
};
