import { addSeconds } from '../../platform/clock/clock.ts';
import { enqueue, type Sweep } from '../../platform/jobs/index.ts';
import { allocationJob, findOrder, listOverdueRetries, listStalledBuys } from '../orders/index.ts';
import { type Confirm, listUndecidedConfirms } from '../provider-operations/index.ts';
import type { AllocationDeps } from './allocation.deps.ts';
import { readVerdict } from './allocation.rules.ts';
import type { SettleAllocation } from './settle-allocation.ts';

/** How long a paid order may stand still, or a retry be overdue, before its job counts as lost. */
const stalledSeconds = 60;
/** An undecided confirm is asked about once in a round, however many workers there are. */
const askAgainSeconds = 30;
const batchSize = 200;

/** The sweeps over buys: what was left in between is resumed, or its outcome is queried. */
export const createGoldSweeps = (
  deps: AllocationDeps & { readonly settle: SettleAllocation },
): Sweep[] => {
  const { db, clock, logger, provider, settle } = deps;

  const enqueueAll = async (orders: readonly { id: string }[], why: string): Promise<void> => {
    for (const { id: orderId } of orders) {
      logger.warn({ orderId, why }, 'an allocation is taken up again');
      await enqueue(db, allocationJob(orderId));
    }
  };

  const askAbout = async (confirm: Confirm): Promise<void> => {
    const { id: confirmId, orderId, providerTxId, verifiedAt } = confirm;
    const before = await findOrder(db, orderId);
    logger.info({ orderId, confirmId, status: before?.status }, 'asking about a confirm');
    const status = await provider.buyStatus({ providerTxId });
    const verdict = readVerdict(status, { verifiedAt, now: clock.now() }, provider.rules);
    const reason = `status ${status.kind === 'done' ? status.value : status.kind}`;
    const result = await settle({ orderId, confirmId, verdict, actor: 'janitor', reason });
    logger.info({ orderId, confirmId, verdict, result }, 'asked about a confirm');
  };

  return [
    {
      name: 'gold-resume-paid',
      async run() {
        const before = addSeconds(clock.now(), -stalledSeconds);
        const stalled = await listStalledBuys(db, before, batchSize);
        await enqueueAll(stalled, 'paid, and nothing happened since');
      },
    },
    {
      name: 'gold-resume-retries',
      async run() {
        const before = addSeconds(clock.now(), -stalledSeconds);
        const overdue = await listOverdueRetries(db, before, batchSize);
        await enqueueAll(overdue, 'its retry is overdue');
      },
    },
    {
      name: 'gold-ask-undecided',
      async run() {
        const before = addSeconds(clock.now(), -askAgainSeconds);
        const open = await listUndecidedConfirms(db, 'buy-confirm', before, batchSize);
        for (const confirm of open) await askAbout(confirm);
      },
    },
  ];
};
