import type { Db } from '../../platform/db/index.ts';
import { lockAccountStanding } from '../banking/index.ts';
import { findAttempt, insertAttempt } from './payout-attempt.store.ts';
import { transitionPayout } from './payout.store.ts';
import type { Payout, PayoutAttempt, PayoutsDeps } from './payouts.types.ts';
import { recordAttemptRefusal } from './record-payout-attempt.ts';

/** Builds the provider's idempotency key (contract: payouts > Payout attempts). */
const idempotencyKeyOf = (payoutId: string, attemptNo: number): string =>
  `${payoutId.replaceAll('-', '')}-${attemptNo}`;

/** Returns why a payout may not be sent; undefined when it may. Keeps its account locked. */
const findObstacle = async (
  { provider }: Pick<PayoutsDeps, 'provider'>,
  tx: Db,
  payout: Payout,
): Promise<string | undefined> => {
  const { minimumPaise, maximumImpsPaise } = provider.rules;
  const standing = await lockAccountStanding(tx, payout.bankAccountId);
  if (standing?.isUsable !== true || standing.userId !== payout.userId) {
    return 'The bank account is not verified.';
  }
  if (payout.amountPaise < minimumPaise) return 'The amount is too small for a bank transfer.';
  if (payout.amountPaise > maximumImpsPaise) return 'The amount is too large for one transfer.';
  return undefined;
};

/**
 * Starts a new attempt in the transaction that has the PENDING payout locked: PROCESSING, with the
 * intent written, which is committed before anything is sent. An attempt that may not be sent is
 * refused at once: the payout is FAILED with the reason, and nothing is returned.
 */
export const startAttempt = async (
  deps: Pick<PayoutsDeps, 'clock' | 'logger' | 'notify' | 'provider' | 'random'>,
  tx: Db,
  payout: Payout,
  actor: string,
): Promise<PayoutAttempt | undefined> => {
  const { clock, provider, random } = deps;
  const obstacle = await findObstacle(deps, tx, payout);
  const at = clock.now();
  const id = random.uuid();
  const attemptNo = payout.attempt + 1;
  await insertAttempt(tx, {
    id,
    payoutId: payout.id,
    attemptNo,
    bankAccountId: payout.bankAccountId,
    idempotencyKey: idempotencyKeyOf(payout.id, attemptNo),
    provider: provider.code,
    startedAt: at,
  });
  await transitionPayout(deps, tx, payout, {
    to: 'PROCESSING',
    actor,
    cause: 'attempt.started',
    at,
    changes: { attempt: attemptNo, provider: provider.code, dispatchedAt: at },
  });
  if (obstacle === undefined) return findAttempt(tx, id);
  await recordAttemptRefusal(deps, tx, id, { reason: obstacle });
  return undefined;
};
