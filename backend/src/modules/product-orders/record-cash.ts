import type { z } from 'zod';
import {
  addPaise,
  formatRupees,
  subtractPaise,
  toSafePaise,
  type Paise,
} from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { cashBody } from './delivery.schemas.ts';
import { findCash, insertCash } from './cash.store.ts';
import { lockProductOrder } from './product-orders.store.ts';
import type { ProductOrder, ReceivedCash } from './product-orders.types.ts';

export interface CashDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Auditor;
}

type CashBody = z.output<typeof cashBody>;

/**
 * Returns true if this receipt is already recorded.
 * @throws AppError CONFLICT if it is recorded with another amount
 */
const isRecorded = async (tx: Db, orderId: string, body: CashBody): Promise<boolean> => {
  const earlier = await findCash(tx, orderId, body.reference);
  if (earlier === undefined) return false;
  if (earlier.amountPaise === body.amountPaise) return true;
  throw new AppError('CONFLICT', {
    message:
      `This reference is recorded with INR ${formatRupees(earlier.amountPaise)}. ` +
      'Nothing was recorded. Please check the receipt.',
  });
};

const requireOutstanding = (
  { status, totalPaise, cashReceivedPaise }: ProductOrder,
  cash: Paise,
): void => {
  if (status !== 'DELIVERED') {
    const message = 'Cash can only be recorded for an order that was delivered.';
    throw new AppError('ILLEGAL_TRANSITION', { message, details: { status } });
  }
  if (addPaise(cashReceivedPaise, cash) <= totalPaise) return;
  const outstandingPaise = subtractPaise(totalPaise, cashReceivedPaise);
  throw validationError([
    {
      field: 'amountPaise',
      message: `must be at most ${toSafePaise(outstandingPaise)}, which is outstanding`,
    },
  ]);
};

const toCash = (body: CashBody, id: string, recordedBy: string, now: Date): ReceivedCash => {
  const today = istDate(now);
  const { receivedOn = today } = body;
  if (receivedOn > today) {
    throw validationError([{ field: 'receivedOn', message: 'must not be in the future' }]);
  }
  const { amountPaise, reference } = body;
  return { id, amountPaise, reference, receivedOn, recordedBy, recordedAt: now };
};

/**
 * Records cash that was received for a delivered order, once for each reference of a receipt. The audit
 * row is written in the same transaction. The database adds the amount to the order and refuses a sum
 * above the order's total (contract: jewellery > Cash on delivery).
 * @throws AppError NOT_FOUND, ILLEGAL_TRANSITION, VALIDATION_FAILED, and CONFLICT if the reference is
 *   recorded with another amount
 */
export const recordCash = (
  { inTransaction, clock, random, audit }: CashDeps,
  orderId: string,
  body: CashBody,
  { principal, context }: ByOperator,
): Promise<void> =>
  inTransaction(async (tx) => {
    const order = await lockProductOrder(tx, orderId);
    if (order === undefined) throw new AppError('NOT_FOUND');
    if (await isRecorded(tx, orderId, body)) return;
    requireOutstanding(order, body.amountPaise);
    const cash = toCash(body, random.uuid(), principal.adminId, clock.now());
    await insertCash(tx, orderId, cash);
    const receivedPaise = addPaise(order.cashReceivedPaise, cash.amountPaise);
    await audit.record(tx, {
      action: 'product_order.cash',
      ...adminActor(principal, context),
      target: { type: 'product_order', id: orderId },
      before: { cashReceivedPaise: toSafePaise(order.cashReceivedPaise) },
      after: { cashReceivedPaise: toSafePaise(receivedPaise), receivedOn: cash.receivedOn },
      sealed: { after: { reference: cash.reference } },
    });
  });
