import { addPaise, type Paise } from '../../money/index.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { startOfIstDay } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { findPayee, type Payee } from '../banking/index.ts';
import { sumAutomaticPayouts, insertPayoutRow } from './payout.store.ts';
import type { NewPayout, PayoutHold, PayoutsDeps } from './payouts.types.ts';
import { needsApproval } from './payout-approval.ts';
import { dispatchJob } from './payouts.jobs.ts';

/** The bounds that hold automatic payouts (contract: payouts > Payout holds); undefined is off. */
export interface PayoutHolds {
  /** An account that was added less long ago, in hours. */
  readonly newAccountHours: number | undefined;
  /** A name match below it, 0 to 100, or none that is known. */
  readonly nameMatchFloor: number | undefined;
  /** More than this goes out for a customer on one IST day. */
  readonly dailyAutoPaise: Paise | undefined;
}

export const noHolds: PayoutHolds = {
  newAccountHours: undefined,
  nameMatchFloor: undefined,
  dailyAutoPaise: undefined,
};

const hourMs = 3_600_000;

const isNew = ({ createdAt }: Payee, hours: number | undefined, now: Date): boolean =>
  hours !== undefined && msBetween(createdAt, now) < hours * hourMs;

const isOtherName = ({ nameMatchScore }: Payee, floor: number | undefined): boolean =>
  floor !== undefined && (nameMatchScore === null || nameMatchScore < floor);

/**
 * Returns the hold that a new payout meets; null for none. Definite in the transaction that has the
 * customer's holding locked, where the payouts of the day are counted.
 */
const findHold = async (
  db: Db,
  holds: PayoutHolds,
  { userId, bankAccountId, amountPaise }: NewPayout,
  now: Date,
): Promise<PayoutHold | null> => {
  const payee = await findPayee(db, bankAccountId);
  invariant(payee, `the bank account ${bankAccountId} of a payout is there`);
  if (isNew(payee, holds.newAccountHours, now)) return 'NEW_ACCOUNT';
  if (isOtherName(payee, holds.nameMatchFloor)) return 'NAME_MATCH';
  const { dailyAutoPaise } = holds;
  if (dailyAutoPaise === undefined) return null;
  const sent = await sumAutomaticPayouts(db, userId, startOfIstDay(now));
  return addPaise(sent, amountPaise) > dailyAutoPaise ? 'DAILY_SUM' : null;
};

interface InsertPayoutDeps extends Pick<PayoutsDeps, 'clock' | 'random'> {
  readonly payoutHolds: PayoutHolds;
}

/**
 * Creates the payout of a sale in the transaction that confirms the sale and has the customer's
 * holding locked: PENDING, with its dispatch job unless it is above the cap or meets a hold.
 * Returns its id. The database refuses a second one for an order.
 */
export const insertPayout = async (
  { clock, random, payoutHolds }: InsertPayoutDeps,
  tx: Db,
  payout: NewPayout,
): Promise<string> => {
  const id = random.uuid();
  const createdAt = clock.now();
  const hold = await findHold(tx, payoutHolds, payout, createdAt);
  const approvalRequired = hold !== null || needsApproval(payout.amountPaise);
  await insertPayoutRow(tx, { ...payout, id, approvalRequired, hold, createdAt });
  if (!approvalRequired) await enqueue(tx, dispatchJob(id));
  return id;
};
