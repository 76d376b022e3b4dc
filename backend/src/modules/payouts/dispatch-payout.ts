import type { FundAccount, ProviderPayout } from '../../adapters/payout-provider/port.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { isUnavailable } from '../../platform/http-client/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { createClaimPayout, type Claim } from './claim-payout.ts';
import { createPayoutAttemptStore } from './payout-attempt.store.ts';
import type { PayoutsDeps } from './payouts.deps.ts';
import type { PayoutAttempt } from './payouts.types.ts';
import type { SettleAttempt } from './settle-attempt.ts';
import type { StartAttempt } from './start-attempt.ts';

/** A request lives no longer than this on its way: after it, a no to a resend is a no to all. */
const longestFlightMs = 5 * 60_000;
/** A key is not used in the last hour of its life at the provider. */
const keyMarginMs = 60 * 60_000;

type Send = Extract<Claim, { kind: 'SEND' }>;

type DispatchDeps = PayoutsDeps & {
  readonly settle: SettleAttempt;
  readonly startAttempt: StartAttempt;
};

const wordOf = (outcome: Outcome<unknown>): string => {
  if (outcome.kind === 'done') return 'done';
  return outcome.kind === 'refused' ? `refused: ${outcome.code}` : `unknown: ${outcome.reason}`;
};

/**
 * Sends a payout, or finds out what became of it (decisions, section 3). It may run at any time,
 * any number of times, in any number of workers, and be killed at any point: the intent is
 * committed before the first call, what was sent before is asked for by its reference, and only
 * where the provider has none of it is the same attempt sent again, under the same key and to the
 * letter the same.
 */
export const createDispatchPayout = (deps: DispatchDeps) => {
  const { db, inTransaction, clock, logger, provider, banking, settle } = deps;
  const claimPayout = createClaimPayout(deps);
  const attempts = createPayoutAttemptStore(db);

  const keep = async (attempt: PayoutAttempt, found: ProviderPayout, cause: string) => {
    await inTransaction((tx) => settle.news(tx, attempt.id, found, cause));
  };
  const doubt = async (attempt: PayoutAttempt, why: string): Promise<void> => {
    await attempts.doubt(attempt.id);
    const { payoutId, attemptNo } = attempt;
    logger.warn({ payoutId, attempt: attemptNo, why }, 'payout attempt undecided');
  };
  const refuse = ({ attempt, claimedAt }: Send, reason: string): Promise<void> =>
    inTransaction((tx) => settle.refuse(tx, attempt.id, reason, claimedAt));

  /** Nothing of this try reached the provider: the queue tries again soon. */
  const notSent = async ({ attempt, wasSent, claimedAt }: Send, why: string): Promise<void> => {
    if (wasSent) return doubt(attempt, why);
    await attempts.release(attempt.id, claimedAt);
    throw new Error(`the payout provider is not available: ${why}`);
  };

  /** The provider looked at it and said no. */
  const turnedDown = async (claim: Send, reason: string): Promise<void> => {
    const { attempt, wasSent } = claim;
    const isFinal = !wasSent || msBetween(attempt.startedAt, clock.now()) > longestFlightMs;
    return isFinal ? refuse(claim, reason) : doubt(attempt, 'refused, but was sent before');
  };

  const askByReference = async (
    { attempt }: Send,
    cause: string,
  ): Promise<'FOUND' | 'NONE' | 'NO_WORD'> => {
    const found = await provider.findPayoutByReference(attempt.idempotencyKey);
    if (found.kind !== 'done') return 'NO_WORD';
    if (found.value === undefined) return 'NONE';
    await keep(attempt, found.value, cause);
    return 'FOUND';
  };

  /** What was sent before: true when it may be sent again. */
  const mayResend = async (claim: Send): Promise<boolean> => {
    const { attempt } = claim;
    const word = await askByReference(claim, 'payout.found');
    if (word === 'FOUND') return false;
    const ageMs = msBetween(attempt.startedAt, clock.now());
    const lifeMs = provider.rules.idempotencyKeyLifeMs;
    if (word === 'NO_WORD' || (ageMs > lifeMs - keyMarginMs && ageMs <= lifeMs)) {
      await doubt(attempt, word);
      return false;
    }
    if (ageMs <= lifeMs) return true;
    // By now a resend could pay twice, and what was sent would long be there.
    await refuse(claim, 'The payout never reached the payout provider.');
    return false;
  };

  const create = async (claim: Send, { fundAccountId }: FundAccount): Promise<void> => {
    const { attempt, payout } = claim;
    const { idempotencyKey } = attempt;
    const outcome = await provider.createPayout({
      idempotencyKey,
      referenceId: idempotencyKey,
      fundAccountId,
      amountPaise: payout.amountPaise,
      mode: 'IMPS',
      narration: 'Gold sale',
    });
    if (outcome.kind === 'done') return keep(attempt, outcome.value, 'payout.created');
    if (outcome.kind === 'refused') {
      return isUnavailable(outcome)
        ? notSent(claim, outcome.code)
        : turnedDown(claim, outcome.message);
    }
    if ((await askByReference(claim, 'payout.found')) === 'FOUND') return undefined;
    return doubt(attempt, wordOf(outcome));
  };

  const send = async (claim: Send): Promise<void> => {
    if (claim.wasSent && !(await mayResend(claim))) return undefined;
    const fund = await banking.fundAccountOf(claim.attempt.bankAccountId);
    if (fund.kind === 'done') return create(claim, fund.value);
    const isNo = fund.kind === 'refused' && !isUnavailable(fund);
    return isNo ? turnedDown(claim, fund.message) : notSent(claim, wordOf(fund));
  };

  const ask = async ({ attempt, providerPayoutId }: Extract<Claim, { kind: 'ASK' }>) => {
    const found = await provider.getPayout(providerPayoutId);
    if (found.kind === 'done') return keep(attempt, found.value, 'payout.asked');
    const { payoutId } = attempt;
    logger.warn({ payoutId, word: wordOf(found) }, 'no word of a payout');
    return undefined;
  };

  return async (payoutId: string): Promise<void> => {
    const claim = await claimPayout(payoutId);
    if (claim.kind === 'LEAVE') {
      logger.debug({ payoutId, why: claim.why }, 'nothing to dispatch');
      return;
    }
    const { attemptNo } = claim.attempt;
    logger.info({ payoutId, attempt: attemptNo, claim: claim.kind }, 'dispatching');
    await (claim.kind === 'ASK' ? ask(claim) : send(claim));
  };
};

export type DispatchPayout = ReturnType<typeof createDispatchPayout>;
