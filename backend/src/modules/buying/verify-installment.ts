import { formatRupees } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import {
  isAwaitingAllocation,
  hasPriceLock,
  lockOrder,
  transitionBuy,
  updateVerifiedInstallment,
  type GoldOrder,
  type PriceLockedBuy,
  type ManualReviewCode,
} from '../orders/index.ts';
import { findLatestConfirm, recordIntent, type HeldConfirm } from '../provider-operations/index.ts';
import { isGramsMismatch, verifyBuy, type VerifiedBuy } from '../quotes/index.ts';
import { requireRegisteredUser } from '../kyc/index.ts';
import type { AllocationDeps } from './buying.types.ts';
import { nextInstallmentStep, takeNextStep } from './next-step.ts';

/** A paid installment that must be verified at the provider, as the caller has read it. */
export interface InstallmentToVerify {
  readonly order: GoldOrder;
  /** The id of the newest confirm, which was refused, or undefined if there is no confirm yet. */
  readonly lastConfirmId: string | undefined;
}

type VerifyResult =
  | { readonly kind: 'VERIFIED'; readonly buy: VerifiedBuy }
  | { readonly kind: 'FAILED'; readonly code: ManualReviewCode; readonly reason: string };

/**
 * Locks the order. Returns undefined if it or its newest confirm has changed since `readOrder` read
 * them.
 */
const lockUnchanged = async (tx: Db, { order: seen, lastConfirmId }: InstallmentToVerify) => {
  const order = await lockOrder(tx, seen.id);
  if (order === undefined || !isAwaitingAllocation(order.status)) return undefined;
  const latest = await findLatestConfirm(tx, 'buy-confirm', seen.id);
  const isUnchanged =
    order.status === seen.status &&
    order.allocationAttempts === seen.allocationAttempts &&
    latest?.id === lastConfirmId;
  return isUnchanged ? { ...order, status: order.status } : undefined;
};

const verify = async (
  deps: AllocationDeps,
  { id, userId, amountPaise }: GoldOrder,
): Promise<VerifyResult> => {
  try {
    const providerUserId = await requireRegisteredUser(deps.db, userId);
    const requested = formatRupees(amountPaise);
    const amount = { unit: 'INR', amountPaise, requested } as const;
    // The confirm has the same reference, for providers without transaction ids of their own.
    const buy = await verifyBuy(deps, { userId, providerUserId, amount, reference: id });
    return { kind: 'VERIFIED', buy };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const isMismatch = isGramsMismatch(error);
    const explanation = isMismatch ? ", because the provider's grams differ from ours" : '';
    const reason = `The last verify ended in ${error.code}${explanation}.`;
    return { kind: 'FAILED', code: isMismatch ? 'GRAMS_MISMATCH' : 'ALLOCATION_EXHAUSTED', reason };
  }
};

/**
 * Changes a RETRY_PENDING order to PAID, so that the order's history shows each retry. Leaves a PAID
 * order unchanged.
 */
const recordRetry = async (
  deps: AllocationDeps,
  tx: Db,
  { id, status }: { readonly id: string; readonly status: 'PAID' | 'RETRY_PENDING' },
): Promise<void> => {
  if (status !== 'RETRY_PENDING') return;
  const step = { to: 'PAID', cause: 'allocation.retry', actor: 'worker' } as const;
  await transitionBuy(deps, tx, { id, status }, step);
};

const recordFailure = (
  deps: AllocationDeps,
  seen: InstallmentToVerify,
  { code, reason }: Extract<VerifyResult, { kind: 'FAILED' }>,
): Promise<undefined> =>
  deps.inTransaction(async (tx) => {
    const order = await lockUnchanged(tx, seen);
    if (order === undefined) return undefined;
    await recordRetry(deps, tx, order);
    const next = nextInstallmentStep({
      now: deps.clock.now(),
      failedTries: order.allocationAttempts + 1,
      retrySeconds: deps.allocationRetrySeconds,
      decidableAt: undefined,
      code,
      reason,
    });
    const step = await takeNextStep(deps, tx, { ...order, status: 'PAID' }, next, 'worker');
    deps.logger.warn({ orderId: order.id, reason, step }, 'an installment was not verified');
    return undefined;
  });

const recordVerified = (
  deps: AllocationDeps,
  seen: InstallmentToVerify,
  buy: VerifiedBuy,
): Promise<HeldConfirm<PriceLockedBuy> | undefined> =>
  deps.inTransaction(async (tx) => {
    const { clock, random } = deps;
    const order = await lockUnchanged(tx, seen);
    if (order === undefined) return undefined;
    const at = clock.now();
    await recordRetry(deps, tx, order);
    const isStored = await updateVerifiedInstallment(tx, order.id, buy, at);
    const verified = { ...order, ...buy, status: 'PAID' } as const;
    if (!isStored || !hasPriceLock(verified)) return undefined;
    const [confirmId, holderId] = [random.uuid(), random.uuid()];
    await recordIntent(tx, 'buy-confirm', verified, { id: confirmId, holderId, at });
    return { order: verified, confirmId, holderId };
  });

/**
 * Verifies a paid installment at the current price (contract: plans > Installments). One transaction
 * stores the result with the intent to confirm it, and the caller confirms at once. Returns
 * undefined if the verify failed, which is recorded, or if another worker has changed the order. A
 * verify alone has no effect at the provider, so nothing is left over if the process dies before the
 * result is stored.
 */
export const verifyInstallment = async (
  deps: AllocationDeps,
  seen: InstallmentToVerify,
): Promise<HeldConfirm<PriceLockedBuy> | undefined> => {
  const result = await verify(deps, seen.order);
  if (result.kind === 'FAILED') return recordFailure(deps, seen, result);
  return recordVerified(deps, seen, result.buy);
};
