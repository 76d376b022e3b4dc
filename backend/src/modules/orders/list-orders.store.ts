import type { Prisma } from '../../generated/prisma/client.ts';
import { boundsOf, type Db } from '../../platform/db/index.ts';
import { offsetOf, type ListRange, type Page } from '../../platform/http/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { readCountedPage } from '../transaction-counts/index.ts';
import { findOrders } from './orders.store.ts';
import type { GoldOrder } from './orders.types.ts';

export interface OrderFilter extends ListRange {
  readonly userId?: string | undefined;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
  /**
   * The search text: the id of the order, its customer, its quote or the provider's transaction, a
   * refund's reference, or the customer's phone number.
   */
  readonly q?: string | undefined;
}

/** Returns the condition for orders that match a search text. */
const searchConditionOf = async (db: Db, q: string): Promise<Prisma.GoldOrderWhereInput> => {
  if (isUuid(q)) return { OR: [{ id: q }, { userId: q }, { quoteId: q }] };
  const phone = /^\d{10}$/u.test(q) ? `+91${q}` : q;
  // The customer is found first, because a condition on the customer's row would prevent the use of
  // the orders' indexes.
  const customer = await db.user.findUnique({ where: { phone }, select: { id: true } });
  const customerConditions = customer === null ? [] : [{ userId: customer.id }];
  return { OR: [{ providerTxId: q }, { refundReference: q }, ...customerConditions] };
};

const orderKinds = ['GOLD_BUY', 'GOLD_SELL', 'SIP_INSTALLMENT'] as const;

/**
 * Returns the kinds of a type of orders, by which transactions are counted, or undefined for an
 * unknown type.
 */
const kindsOf = (type: string | undefined) => {
  if (type === undefined) return orderKinds;
  const kind = orderKinds.find((each) => each === type || each === `GOLD_${type}`);
  return kind === undefined ? undefined : ([kind] as const);
};

/** Returns one page of orders, newest first. */
export const listOrders = async (
  db: Db,
  { userId, status, type, q, ...range }: OrderFilter,
  page: Page,
): Promise<{ readonly rows: readonly GoldOrder[]; readonly total: number }> => {
  const { createdAt, amount } = boundsOf(range);
  const where: Prisma.GoldOrderWhereInput = {
    ...(createdAt !== undefined && { createdAt }),
    ...(amount !== undefined && { amountPaise: amount }),
    ...(userId !== undefined && { userId }),
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type }),
    ...(q !== undefined && (await searchConditionOf(db, q))),
  };
  const orderBy: Prisma.GoldOrderOrderByWithRelationInput[] = [
    { createdAt: 'desc' },
    { id: 'desc' },
  ];
  const kinds = kindsOf(type);
  // The daily counts distinguish orders only by day, kind and status.
  if (userId === undefined && q === undefined && amount === undefined && kinds !== undefined) {
    const statuses = status === undefined ? undefined : [status];
    return readCountedPage(db, { kinds, statuses, ...range }, page, {
      countRows: (bounds) => db.goldOrder.count({ where: { ...where, ...bounds } }),
      readRows: (bounds, cut) =>
        findOrders(db, { where: { ...where, ...bounds }, orderBy, ...cut }),
    });
  }
  const cut = { take: page.limit, skip: offsetOf(page) };
  const rows = await findOrders(db, { where, orderBy, ...cut });
  return { rows, total: await db.goldOrder.count({ where }) };
};
