import { addPaise, type Paise } from '../../money/index.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { startOfIstDay } from '../../platform/clock/ist.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { findPayee, matchPayeeName, type Payee } from '../banking/index.ts';
import { totalAutomaticPayouts } from './payouts.store.ts';
import type { NewPayout, PayoutHold, PayoutsDeps } from './payouts.types.ts';

/** The rules that hold payouts (contract: payouts > Payout holds). An undefined rule is off. */
export interface PayoutHolds {
  /** Payouts to an account are held for this many hours after it was added. */
  readonly newAccountHours: number | undefined;
  /** Payouts are held if the account's name match is below this score, 0 to 100, or missing. */
  readonly nameMatchFloor: number | undefined;
  /** A payout is held if it takes the customer's automatic payouts of an IST day above this sum. */
  readonly dailyAutoPaise: Paise | undefined;
  /** A payout is held if the customer already has this many automatic payouts of the IST day. */
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

const isNameMismatch = async (
  deps: HoldDeps,
  tx: Db,
  payee: Payee,
  floor: number | undefined,
): Promise<boolean> => {
  if (floor === undefined) return false;
  const score = await matchPayeeName(deps, tx, payee);
  return score === undefined || score < BigInt(floor);
};

/** Returns the hold that applies to payouts to an account, or undefined if none applies. */
export const findAccountHold = async (
  deps: HoldDeps,
  tx: Db,
  bankAccountId: string,
): Promise<'NEW_ACCOUNT' | 'NAME_MATCH' | undefined> => {
  const { newAccountHours, nameMatchFloor } = deps.payoutHolds;
  if (newAccountHours === undefined && nameMatchFloor === undefined) return undefined;
  const payee = await findPayee(tx, bankAccountId);
  invariant(payee, `the bank account ${bankAccountId} of a payout exists`);
  if (isNew(payee, newAccountHours, deps.clock.now())) return 'NEW_ACCOUNT';
  return (await isNameMismatch(deps, tx, payee, nameMatchFloor)) ? 'NAME_MATCH' : undefined;
};

const findDailyHold = async (
  { clock, metrics, payoutHolds }: HoldDeps,
  tx: Db,
  { userId, amountPaise }: NewPayout,
): Promise<'DAILY_SUM' | 'DAILY_COUNT' | undefined> => {
  const { dailyAutoPaise, dailyAutoCount } = payoutHolds;
  if (dailyAutoPaise === undefined && dailyAutoCount === undefined) return undefined;
  const total = await totalAutomaticPayouts(tx, userId, startOfIstDay(clock.now()));
  const isOverSum =
    dailyAutoPaise !== undefined && addPaise(total.amountPaise, amountPaise) > dailyAutoPaise;
  if (isOverSum) return 'DAILY_SUM';
  if (dailyAutoCount === undefined || total.count < dailyAutoCount) return undefined;
  // The number is a limit of use, so `bound_reached_total` counts it. The sum is a rule about risk.
  metrics.countBoundReached('automatic_payouts');
  return 'DAILY_COUNT';
};

/**
 * Returns the hold that applies to a new payout, or null if none applies. The caller's transaction
 * has locked the customer's holding. Otherwise a concurrent payout could be missing from the totals of
 * the day.
 */
export const findHold = async (
  deps: HoldDeps,
  tx: Db,
  payout: NewPayout,
): Promise<PayoutHold | null> =>
  (await findAccountHold(deps, tx, payout.bankAccountId)) ??
  (await findDailyHold(deps, tx, payout)) ??
  null;
