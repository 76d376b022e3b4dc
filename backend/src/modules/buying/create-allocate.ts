import type { ProviderTransactionStatus } from '../../adapters/gold-provider/port.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { LockedBuy } from '../orders/index.ts';
import { renewConfirm } from '../provider-operations/index.ts';
import type { AllocationDeps } from './allocation.deps.ts';
import { readVerdict, type Verdict } from './allocation.rules.ts';
import { confirmLeaseMs, createClaimAllocation, type Claim } from './claim-allocation.ts';
import { createSettleAllocation } from './settle-allocation.ts';

const wordOf = (outcome: Outcome<unknown>): string => {
  if (outcome.kind === 'done') return 'done';
  return outcome.kind === 'refused' ? `refused: ${outcome.code}` : `unknown: ${outcome.reason}`;
};

const statusWord = (status: Outcome<ProviderTransactionStatus>): string =>
  status.kind === 'done' ? status.value : wordOf(status);

/**
 * Buys the gold of a paid order, or finds out that it was bought (decisions, section 3). It may
 * run at any time, any number of times, in any number of workers, and be killed at any point:
 * the intent is committed before the confirm, the status is asked after every confirm and before
 * any further one, and only the status decides.
 */
export const createAllocate = (deps: AllocationDeps) => {
  const { db, clock, logger, provider, portfolios } = deps;
  const claimAllocation = createClaimAllocation(deps);
  const settle = createSettleAllocation(deps);

  const ask = async (order: LockedBuy): Promise<{ verdict: Verdict; word: string }> => {
    const status = await provider.buyStatus({ providerTxId: order.providerTxId });
    const at = { verifiedAt: order.lockStartedAt, now: clock.now() };
    return { verdict: readVerdict(status, at, provider.rules), word: statusWord(status) };
  };

  const confirm = async (order: LockedBuy) => {
    const providerUserId = (await deps.findUser(db, order.userId))?.providerUserId ?? null;
    const { providerTxId, quoteId, grams, providerAmountPaise, providerRateId } = order;
    if (providerUserId === null || providerAmountPaise === null) {
      throw new Error(`order ${order.id} lacks what a confirm needs`);
    }
    return provider.confirmBuy({
      providerUserId,
      providerTxId,
      grams,
      providerAmountPaise,
      // The same as at the verify: what a provider without transaction ids of its own goes by.
      reference: quoteId ?? order.id,
      rateId: providerRateId ?? '',
    });
  };

  const askOnly = async (claim: Extract<Claim, { kind: 'ASK' }>) => {
    const { verdict, word } = await ask(claim.order);
    const { id: orderId } = claim.order;
    const confirmId = claim.confirm?.id;
    return settle({ orderId, verdict, confirmId, actor: 'worker', reason: `status ${word}` });
  };

  const confirmAndAsk = async (claim: Extract<Claim, { kind: 'CONFIRM' }>) => {
    const { order, holderId, askFirst, confirm: intent } = claim;
    const found = { orderId: order.id, confirmId: intent.id, holderId, actor: 'worker' } as const;
    if (askFirst) {
      const { verdict, word } = await ask(order);
      const mayConfirm = verdict === 'NOT_CONFIRMED' && clock.now() < order.lockEndsAt;
      if (!mayConfirm) {
        // This try has sent nothing.
        return settle({ ...found, verdict, certainlyNot: true, reason: `status ${word}` });
      }
      const lease = { holderId, leaseMs: confirmLeaseMs };
      if (!(await renewConfirm(db, intent.id, lease))) return 'LEFT';
    }
    const outcome = await confirm(order);
    const { verdict, word } = await ask(order);
    return settle({
      ...found,
      verdict,
      certainlyNot: outcome.kind === 'refused',
      reason: `confirm ${wordOf(outcome)}, status ${word}`,
      invoiceId: outcome.kind === 'done' ? outcome.value.invoiceId : undefined,
    });
  };

  return async (orderId: string): Promise<void> => {
    const claim = await claimAllocation(orderId);
    if (claim.kind === 'LEAVE') {
      logger.debug({ orderId, why: claim.why }, 'nothing to allocate');
      // A worker that died between its commit and the drop left the summary of before.
      if (claim.order?.status === 'ALLOCATED') await portfolios.drop(claim.order.userId);
      return;
    }
    const { confirm: intent } = claim;
    logger.info({ orderId, claim: claim.kind, confirmId: intent?.id }, 'allocating');
    const result = claim.kind === 'ASK' ? await askOnly(claim) : await confirmAndAsk(claim);
    logger.info({ orderId, result }, 'allocation settled');
  };
};

export type Allocate = ReturnType<typeof createAllocate>;
