import { addMs } from '../../platform/clock/clock.ts';
import { createPayoutAttemptStore } from './payout-attempt.store.ts';
import { createPayoutStore } from './payout.store.ts';
import { isOpenAttempt } from './payouts.states.ts';
import type { PayoutsDeps } from './payouts.deps.ts';
import type { Payout, PayoutAttempt } from './payouts.types.ts';
import type { StartAttempt } from './start-attempt.ts';

/**
 * How long a worker is let alone with an attempt: longer than its calls take. One that is taken
 * over too early is sent twice under one key, which the provider answers with the same payout.
 */
export const sendLeaseMs = 60_000;

/** What a worker may do with a payout now. */
export type Claim =
  | { readonly kind: 'LEAVE'; readonly why: string }
  /** The provider has it: only asking is left. */
  | { readonly kind: 'ASK'; readonly attempt: PayoutAttempt; readonly providerPayoutId: string }
  /** The intent is written and held; `wasSent` where an earlier try may have gone through. */
  | {
      readonly kind: 'SEND';
      readonly payout: Payout;
      readonly attempt: PayoutAttempt;
      readonly wasSent: boolean;
      readonly claimedAt: Date;
    };

const leave = (why: string): Claim => ({ kind: 'LEAVE', why });

const isHeld = ({ lastAskedAt }: PayoutAttempt, now: Date): boolean =>
  // A time that lies ahead is of a clock that was set back since.
  lastAskedAt !== null && lastAskedAt <= now && lastAskedAt > addMs(now, -sendLeaseMs);

/** Reads a payout under its lock and takes hold of its attempt, committed before any call. */
export const createClaimPayout = (
  deps: Pick<PayoutsDeps, 'clock' | 'inTransaction'> & { readonly startAttempt: StartAttempt },
) => {
  const { clock, inTransaction, startAttempt } = deps;

  return (payoutId: string): Promise<Claim> =>
    inTransaction(async (db): Promise<Claim> => {
      const payout = await createPayoutStore(db).lock(payoutId);
      if (payout === undefined) return leave('there is no such payout');
      const claimedAt = clock.now();
      if (payout.status === 'PENDING') {
        const isFree = !payout.approvalRequired || payout.approvedAt !== null;
        if (!isFree) return leave('it waits for approval');
        const started = await startAttempt(db, payout, { isSending: true });
        if (started === undefined) return leave('it was refused');
        const heldSince = started.lastAskedAt ?? claimedAt;
        return { kind: 'SEND', payout, attempt: started, wasSent: false, claimedAt: heldSince };
      }
      if (payout.status !== 'PROCESSING') return leave(`it is ${payout.status}`);
      const store = createPayoutAttemptStore(db);
      const attempt = await store.newest(payoutId);
      if (attempt === undefined || !isOpenAttempt(attempt.status)) return leave('nothing is open');
      const { providerPayoutId } = attempt;
      if (providerPayoutId === null && isHeld(attempt, claimedAt))
        return leave('somebody is at it');
      await store.touch(attempt.id, claimedAt);
      if (providerPayoutId !== null) return { kind: 'ASK', attempt, providerPayoutId };
      const wasSent = attempt.lastAskedAt !== null;
      return { kind: 'SEND', payout, attempt, wasSent, claimedAt };
    });
};
