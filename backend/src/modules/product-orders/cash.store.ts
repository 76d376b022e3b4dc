import { paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { ReceivedCash } from './product-orders.types.ts';

const columns = {
  id: true,
  amountPaise: true,
  reference: true,
  receivedOn: true,
  recordedBy: true,
  recordedAt: true,
} as const;

interface Row extends Omit<ReceivedCash, 'amountPaise' | 'receivedOn'> {
  readonly amountPaise: bigint;
  readonly receivedOn: Date;
}

const toCash = (row: Row): ReceivedCash => ({
  ...row,
  amountPaise: paise(row.amountPaise),
  receivedOn: row.receivedOn.toISOString().slice(0, 10),
});

/** Returns the cash that was recorded for an order under a reference, or undefined if there is none. */
export const findCash = async (
  db: Db,
  orderId: string,
  reference: string,
): Promise<ReceivedCash | undefined> => {
  const where = { orderId_reference: { orderId, reference } };
  const row = await db.productOrderCash.findUnique({ where, select: columns });
  return row === null ? undefined : toCash(row);
};

/** Lists the cash that was recorded for an order, oldest first. */
export const listCash = async (db: Db, orderId: string): Promise<ReceivedCash[]> => {
  const rows = await db.productOrderCash.findMany({
    where: { orderId },
    orderBy: [{ recordedAt: 'asc' }, { id: 'asc' }],
    select: columns,
  });
  return rows.map(toCash);
};

/** Inserts received cash. A trigger adds the amount to the order, which the caller has locked. */
export const insertCash = async (tx: Db, orderId: string, cash: ReceivedCash): Promise<void> => {
  const receivedOn = new Date(`${cash.receivedOn}T00:00:00.000Z`);
  await tx.productOrderCash.createMany({ data: [{ ...cash, orderId, receivedOn }] });
};
