import type { ProviderPayoutStatus } from '../../adapters/payout-provider/port.ts';
import type { AttemptStatus, PayoutStatus } from './payouts.types.ts';

/** Who can cause a move of a payout. */
export type PayoutMover = 'service' | 'provider' | 'operator';

interface Move {
  readonly by: readonly PayoutMover[];
  readonly because: string;
}

/**
 * A payout's whole life (decisions, section 3). PAID moves its sell to COMPLETED, REVERSED takes
 * it back to CONFIRMED, in the same transaction.
 */
export const payoutMoves: Readonly<
  Record<PayoutStatus, Readonly<Partial<Record<PayoutStatus, Move>>>>
> = {
  PENDING: {
    PROCESSING: { by: ['service', 'operator'], because: 'its attempt was started' },
  },
  PROCESSING: {
    PAID: { by: ['provider'], because: 'the money is there' },
    FAILED: { by: ['provider', 'service'], because: 'it certainly was not paid' },
    REVERSED: { by: ['provider'], because: 'the money came back' },
  },
  PAID: {
    REVERSED: { by: ['provider'], because: 'the money came back' },
  },
  FAILED: {
    PENDING: { by: ['operator'], because: 'a further attempt, under a new key' },
  },
  REVERSED: {
    PENDING: { by: ['operator'], because: 'a further attempt, under a new key' },
  },
};

/** The states from which `to` can be reached. */
export const statesBefore = (to: PayoutStatus): PayoutStatus[] =>
  (Object.keys(payoutMoves) as PayoutStatus[]) // exactly the keys of the table
    .filter((from) => payoutMoves[from][to] !== undefined);

/**
 * What the provider's word means for an attempt: where it moves to; STALE for what was so before
 * and changes nothing (events come in any order); CONTRADICTION for what can't be.
 */
export type NewsVerdict = ProviderPayoutStatus | 'STALE' | 'CONTRADICTION';

type Verdicts = Readonly<Record<ProviderPayoutStatus, NewsVerdict>>;

const open: Verdicts = {
  PROCESSING: 'PROCESSING',
  PAID: 'PAID',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
};
const unpaid: Verdicts = {
  PROCESSING: 'STALE',
  PAID: 'CONTRADICTION',
  FAILED: 'STALE',
  REVERSED: 'STALE',
};

export const newsVerdicts: Readonly<Record<AttemptStatus, Verdicts>> = {
  INTENDED: open,
  UNKNOWN: open,
  PROCESSING: { ...open, PROCESSING: 'STALE' },
  PAID: { PROCESSING: 'STALE', PAID: 'STALE', FAILED: 'CONTRADICTION', REVERSED: 'REVERSED' },
  FAILED: unpaid,
  // Never taken, and yet the provider has it.
  REFUSED: { ...unpaid, PROCESSING: 'CONTRADICTION' },
  // Final for the attempt: what arrives later is ignored.
  REVERSED: { PROCESSING: 'STALE', PAID: 'STALE', FAILED: 'STALE', REVERSED: 'STALE' },
};

/** Whether nobody can say yet what becomes of the attempt. */
export const isOpenAttempt = (
  status: AttemptStatus,
): status is 'INTENDED' | 'UNKNOWN' | 'PROCESSING' =>
  status === 'INTENDED' || status === 'UNKNOWN' || status === 'PROCESSING';
