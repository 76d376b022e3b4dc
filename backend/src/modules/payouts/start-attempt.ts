import type { Db } from '../../platform/db/index.ts';
import { createPayoutAttemptStore } from './payout-attempt.store.ts';
import { createPayoutStore } from './payout.store.ts';
import type { PayoutsDeps } from './payouts.deps.ts';
import type { Payout, PayoutAttempt } from './payouts.types.ts';
import type { SettleAttempt } from './settle-attempt.ts';

type StartDeps = Pick<PayoutsDeps, 'banking' | 'clock' | 'provider' | 'random'> & {
  readonly settle: SettleAttempt;
};

/** The provider's idempotency key (decisions, section 3): the same on every resend. */
const keyOf = (payoutId: string, attemptNo: number): string =>
  `${payoutId.replaceAll('-', '')}-${attemptNo}`;

/**
 * PENDING -> PROCESSING with a new attempt, in the transaction that has the payout locked: the
 * intent, committed before anything is sent. What may not be sent is refused on the spot: FAILED,
 * with its reason. `isSending` when the caller goes on to send it.
 */
export const createStartAttempt = (deps: StartDeps) => {
  const { banking, clock, provider, random, settle } = deps;

  const obstacleOf = async (db: Db, payout: Payout): Promise<string | undefined> => {
    const { minimumPaise, maximumImpsPaise } = provider.rules;
    const standing = await banking.lockStanding(db, payout.bankAccountId);
    if (standing?.isUsable !== true || standing.userId !== payout.userId) {
      return 'The bank account is not verified.';
    }
    if (payout.amountPaise < minimumPaise) return 'The amount is too small for a bank transfer.';
    if (payout.amountPaise > maximumImpsPaise) return 'The amount is too large for one transfer.';
    return undefined;
  };

  return async (
    db: Db,
    payout: Payout,
    { isSending }: { readonly isSending: boolean },
  ): Promise<PayoutAttempt | undefined> => {
    const obstacle = await obstacleOf(db, payout);
    const at = clock.now();
    const id = random.uuid();
    const attemptNo = payout.attempt + 1;
    const attempts = createPayoutAttemptStore(db);
    await attempts.intend(
      {
        id,
        payoutId: payout.id,
        attemptNo,
        bankAccountId: payout.bankAccountId,
        idempotencyKey: keyOf(payout.id, attemptNo),
        provider: provider.code,
        startedAt: at,
      },
      isSending ? at : null,
    );
    const begun = { no: attemptNo, provider: provider.code, at };
    await createPayoutStore(db).begin(payout.id, begun);
    if (obstacle === undefined) return attempts.find(id);
    await settle.refuse(db, id, obstacle);
    return undefined;
  };
};

export type StartAttempt = ReturnType<typeof createStartAttempt>;
