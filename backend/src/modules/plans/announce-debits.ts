import { addMs } from '../../platform/clock/clock.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Sweep } from '../../platform/jobs/index.ts';
import { notifyDebit } from './plans.notifications.ts';
import { lockUnannounced, markAnnounced, type UsableGateways } from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';
import { noticeMs, planDebit } from './schedule.rules.ts';
import { findUsableGateways } from './usable-gateways.ts';

const batchSize = 100;

/**
 * Creates the sweep that announces the next debit of plans with a mandate, 24 h before it. What
 * could not be raised is not announced either (contract: plans > Mandates).
 */
export const createAnnounceDebits = (
  deps: Pick<PlansDeps, 'inTransaction' | 'clock' | 'gates' | 'notify' | 'payments'>,
): Sweep => {
  const { inTransaction, clock, notify } = deps;

  const announceBatch = (gateways: UsableGateways): Promise<number> =>
    inTransaction(async (tx) => {
      const now = clock.now();
      const plans = await lockUnannounced(tx, addMs(now, noticeMs), batchSize, gateways);
      for (const plan of plans) {
        invariant(plan.nextDueAt, `plan ${plan.id} has a next installment`);
        const { debitAt } = planDebit(plan.nextDueAt, undefined, now);
        const installmentNo = plan.installmentsRaised + 1;
        await notifyDebit(tx, notify, plan, { installmentNo, debitAt });
      }
      const ids = plans.map(({ id }) => id);
      if (ids.length > 0) await markAnnounced(tx, ids, now);
      return plans.length;
    });

  return {
    name: 'announce-debits',
    async run(signal) {
      while (!signal.aborted) {
        const gateways = await findUsableGateways(deps);
        if (gateways === undefined || (await announceBatch(gateways)) < batchSize) return;
      }
    },
  };
};
