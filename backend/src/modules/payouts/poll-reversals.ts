import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { sweepRows } from '../../platform/jobs/index.ts';
import { describeError } from '../../platform/observability/index.ts';
import { claimReversalPoll, findAttempt, listReversalPolls } from './payout-attempts.store.ts';
import type { PayoutsDeps } from './payouts.types.ts';
import { recordAttemptReport } from './record-payout-attempt.ts';

const batchSize = 100;

/**
 * Queries the provider about one paid attempt, and records the report in the same way as an event.
 * Returns false if the provider gave no answer. The attempt is then queried again at its next poll.
 */
const pollAttempt = async (deps: PayoutsDeps, id: string): Promise<boolean> => {
  const { db, clock, inTransaction, logger, provider } = deps;
  if (!(await claimReversalPoll(db, id, clock.now()))) return true;
  const providerPayoutId = (await findAttempt(db, id))?.providerPayoutId ?? null;
  if (providerPayoutId === null) return true;
  const found = await provider.getPayout(providerPayoutId);
  if (found.kind !== 'done') {
    const fields = { attemptId: id, outcome: describeOutcome(found) };
    logger.warn(fields, 'the payout provider did not report a paid payout');
    return false;
  }
  await inTransaction((tx) =>
    recordAttemptReport(deps, tx, id, { report: found.value, cause: 'payout.asked' }),
  );
  return true;
};

/**
 * Polls the provider for payouts that a bank returned after they were paid, and of which no event
 * was received (contract: payouts > Returned payouts).
 */
export const pollReversals = async (deps: PayoutsDeps, signal: AbortSignal): Promise<void> => {
  const { db, clock, logger } = deps;
  await sweepRows({
    rows: await listReversalPolls(db, { now: clock.now(), limit: batchSize }),
    signal,
    handle: (id) => pollAttempt(deps, id),
    onError: (error, attemptId) =>
      logger.error(
        { attemptId, err: describeError(error) },
        'the report of a paid payout was not recorded',
      ),
  });
};
