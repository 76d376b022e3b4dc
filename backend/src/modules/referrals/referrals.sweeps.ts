import type { Clock } from '../../platform/clock/clock.ts';
import { sql, type Db } from '../../platform/db/index.ts';
import { createRowPurge, sweepRows, type Purge, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError } from '../../platform/observability/index.ts';
import { earnReward, listDueRewards, reverseRewards, type SettleDeps } from './settle-rewards.ts';

/**
 * Creates the sweep that first makes the rewards of reversed buys REVERSED, and then makes the rewards
 * EARNED whose buy is seven days old. Operators approve and pay the earned rewards.
 */
export const createSettleRewards = (deps: SettleDeps): Sweep => ({
  name: 'referrals-settle-rewards',
  async run(signal) {
    const { db, clock, logger } = deps;
    const reversed = await reverseRewards(db, clock.now());
    if (reversed > 0) logger.info({ reversed }, 'referral rewards were reversed');
    await sweepRows({
      rows: await listDueRewards(db, clock.now()),
      signal,
      async handle(rewardId) {
        await earnReward(deps, rewardId);
        return true;
      },
      onError: (error, rewardId) =>
        logger.warn({ rewardId, err: describeError(error) }, 'a referral reward was not settled'),
    });
  },
});

/** Creates the purge of former buyers' hashes whose retention time is over. */
export const createFormerBuyerPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge =>
  createRowPurge(db, {
    name: 'referrals-purge-former-buyers',
    table: 'former_buyer',
    lapsed: () => sql`until < ${clock.now()}::timestamptz`,
  });
