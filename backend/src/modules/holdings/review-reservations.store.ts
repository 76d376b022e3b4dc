import {
  ZERO_GRAMS,
  gramsFromDatabase,
  gramsToDatabase,
  minGrams,
  subtractGrams,
  type Grams,
} from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { availableGrams, debitHolding, releaseGrams, lockHolding } from './holdings.store.ts';
import type { Reservation, ReviewReservation } from './holdings.types.ts';

/*
 * The review of an order with a reversed payment reserves grams in addition to the grams of sales.
 * Every change of a reservation is made under the lock of the holding, which is the last lock of the
 * transaction.
 */

/** Locks the customer's holding, and returns the open reservation of an order. */
const lockReservation = async (
  tx: Db,
  { orderId, userId }: { readonly orderId: string; readonly userId: string },
): Promise<{ readonly id: string; readonly grams: Grams } | undefined> => {
  await lockHolding(tx, userId);
  const row = await tx.holdingReservation.findFirst({
    where: { orderId, endedAt: null },
    select: { id: true, grams: true },
  });
  return row === null ? undefined : { id: row.id, grams: gramsFromDatabase(row.grams) };
};

/** Adds to the reserved grams of a locked holding. The caller has checked that they are available. */
const addReserved = async (tx: Db, { userId, grams, at }: Reservation): Promise<void> => {
  await tx.holding.update({
    where: { userId },
    data: {
      reserved: { increment: gramsToDatabase(grams) },
      version: { increment: 1 },
      updatedAt: at,
    },
    select: { userId: true },
  });
};

/**
 * Reserves the available part of an order's grams, in the transaction that puts the order under
 * review, and returns the reserved grams (contract: states > Reversed payments). An order that has an
 * open reservation keeps it.
 */
export const reserveForReview = async (
  tx: Db,
  { id, userId, orderId, grams: wanted, at }: ReviewReservation,
): Promise<Grams> => {
  const open = await lockReservation(tx, { orderId, userId });
  if (open !== undefined) return open.grams;
  const grams = minGrams(wanted, availableGrams(await lockHolding(tx, userId)));
  await tx.holdingReservation.create({
    data: {
      id,
      userId,
      orderId,
      wanted: gramsToDatabase(wanted),
      grams: gramsToDatabase(grams),
      createdAt: at,
      updatedAt: at,
    },
    select: { id: true },
  });
  await addReserved(tx, { userId, grams, at });
  return grams;
};

const closeReservation = async (tx: Db, id: string, at: Date): Promise<void> => {
  const data = { endedAt: at, updatedAt: at };
  await tx.holdingReservation.update({ where: { id }, data, select: { id: true } });
};

/** Makes the grams of a review available again, in the transaction that ends the review by KEEP. */
export const releaseReview = async (
  tx: Db,
  review: { readonly orderId: string; readonly userId: string; readonly at: Date },
): Promise<void> => {
  const open = await lockReservation(tx, review);
  if (open === undefined) return;
  await closeReservation(tx, open.id, review.at);
  await releaseGrams(tx, { userId: review.userId, grams: open.grams, at: review.at });
};

/**
 * Transfers the grams of a review to the house by a RECOVERED movement, in the transaction that ends
 * the review. Returns these grams, which are zero if the customer had already sold the gold.
 */
export const recoverReserved = async (
  tx: Db,
  review: {
    readonly movementId: string;
    readonly orderId: string;
    readonly userId: string;
    readonly at: Date;
  },
): Promise<Grams> => {
  const open = await lockReservation(tx, review);
  if (open === undefined) return ZERO_GRAMS;
  await closeReservation(tx, open.id, review.at);
  if (open.grams > ZERO_GRAMS) {
    await debitHolding(tx, { ...review, grams: open.grams, kind: 'RECOVERED' });
  }
  return open.grams;
};

/**
 * Makes the reserved gold of a sale available again, in the transaction in which the sale fails. A
 * review that began after the sale may have reserved too few grams, because the sale had reserved
 * them. Such reviews reserve their missing grams first.
 */
export const releaseSale = async (
  tx: Db,
  sale: Reservation & { readonly placedAt: Date },
): Promise<void> => {
  const { userId, grams, at, placedAt } = sale;
  await releaseGrams(tx, { userId, grams, at });
  const incomplete = await tx.holdingReservation.findMany({
    where: {
      userId,
      endedAt: null,
      grams: { lt: tx.holdingReservation.fields.wanted },
      createdAt: { gte: placedAt },
    },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { id: true, wanted: true, grams: true },
  });
  let remaining = grams;
  for (const row of incomplete) {
    const missing = subtractGrams(gramsFromDatabase(row.wanted), gramsFromDatabase(row.grams));
    const part = minGrams(remaining, missing);
    if (part === ZERO_GRAMS) return;
    remaining = subtractGrams(remaining, part);
    await tx.holdingReservation.update({
      where: { id: row.id },
      data: { grams: { increment: gramsToDatabase(part) }, updatedAt: at },
      select: { id: true },
    });
    await addReserved(tx, { userId, grams: part, at });
  }
};
