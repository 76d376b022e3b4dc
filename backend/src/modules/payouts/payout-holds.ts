import { addPaise, type Paise } from '../../money/index.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { startOfIstDay } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { findPayee, matchPayeeName, type Payee } from '../banking/index.ts';
import { totalAutomaticPayouts } from './payouts.store.ts';
import type { NewPayout, PayoutHold, PayoutsDeps } from './payouts.types.ts';

/**
 * The bounds that hold automatic payouts (contract: payouts > Payout holds). An undefined bound is
 * off.
 */
export interface PayoutHolds {
  /** An account that was added less long ago, in hours. */
  readonly newAccountHours: number | undefined;
  /** A name match below it, 0 to 100, or none that is known. */
  readonly nameMatchFloor: number | undefined;
  /** More than this goes out for a customer on one IST day. */
  readonly dailyAutoPaise: Paise | undefined;
  /** More payouts than these go out for a customer on one IST day. */
  readonly dailyAutoCount: number | undefined;
}

export const noHolds: PayoutHolds = {
  newAccountHours: undefined,
  nameMatchFloor: undefined,
  dailyAutoPaise: undefined,
  dailyAutoCount: undefined,
};

export interface HoldDeps extends Pick<PayoutsDeps, 'clock' | 'vault' | 'logger' | 'metrics'> {
  readonly payoutHolds: PayoutHolds;
}

const hourMs = 3_600_000;

const isNew = ({ createdAt }: Payee, hours: number | undefined, now: Date): boolean =>
  hours !== undefined && msBetween(createdAt, now) < hours * hourMs;

const isOtherName = async (
  deps: HoldDeps,
  tx: Db,
  payee: Payee,
  floor: number | undefined,
): Promise<boolean> => {
  if (floor === undefined) return false;
  const score = await matchPayeeName(deps, tx, payee);
  return score === undefined || score < BigInt(floor);
};

/** Returns the hold that payouts to an account meet, or undefined for none. */
export const findAccountHold = async (
  deps: HoldDeps,
  tx: Db,
  bankAccountId: string,
): Promise<'NEW_ACCOUNT' | 'NAME_MATCH' | undefined> => {
  const { newAccountHours, nameMatchFloor } = deps.payoutHolds;
  if (newAccountHours === undefined && nameMatchFloor === undefined) return undefined;
  const payee = await findPayee(tx, bankAccountId);
  invariant(payee, `the bank account ${bankAccountId} of a payout is there`);
  if (isNew(payee, newAccountHours, deps.clock.now())) return 'NEW_ACCOUNT';
  return (await isOtherName(deps, tx, payee, nameMatchFloor)) ? 'NAME_MATCH' : undefined;
};

const findDailyHold = async (
  { clock, metrics, payoutHolds }: HoldDeps,
  tx: Db,
  { userId, amountPaise }: NewPayout,
): Promise<'DAILY_SUM' | 'DAILY_COUNT' | undefined> => {
  const { dailyAutoPaise, dailyAutoCount } = payoutHolds;
  if (dailyAutoPaise === undefined && dailyAutoCount === undefined) return undefined;
  const sent = await totalAutomaticPayouts(tx, userId, startOfIstDay(clock.now()));
  const isOverSum =
    dailyAutoPaise !== undefined && addPaise(sent.amountPaise, amountPaise) > dailyAutoPaise;
  if (isOverSum) return 'DAILY_SUM';
  if (dailyAutoCount === undefined || sent.count < dailyAutoCount) return undefined;
  metrics.countBound('automatic_payouts');
  return 'DAILY_COUNT';
};

/**
 * Returns the hold that a new payout meets, or null for none. Definite in the transaction that has the
 * customer's holding locked, where the payouts of the day are counted.
 */
export const findHold = async (
  deps: HoldDeps,
  tx: Db,
  payout: NewPayout,
): Promise<PayoutHold | null> =>
  (await findAccountHold(deps, tx, payout.bankAccountId)) ??
  (await findDailyHold(deps, tx, payout)) ??
  null;
