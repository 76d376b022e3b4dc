import { formatRupees } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { isAppError } from '../../platform/errors/app-error.ts';
import {
  isAwaitingAllocation,
  isLockedBuy,
  lockOrder,
  transitionBuy,
  updateVerifiedInstallment,
  type GoldOrder,
  type LockedBuy,
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

/** Locks the order again. Returns undefined if another worker has changed it since it was read. */
const lockUnchanged = async (tx: Db, { order: read, lastConfirmId }: InstallmentToVerify) => {
  const order = await lockOrder(tx, read.id);
  if (order === undefined || !isAwaitingAllocation(order.status)) return undefined;
  const latest = await findLatestConfirm(tx, 'buy-confirm', read.id);
  const isUnchanged =
    order.status === read.status &&
    order.allocationAttempts === read.allocationAttempts &&
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
    const reason = `The last verify ended in ${error.code}${isMismatch ? ', for other grams' : ''}.`;
    return { kind: 'FAILED', code: isMismatch ? 'GRAMS_MISMATCH' : 'ALLOCATION_EXHAUSTED', reason };
  }
};

/** Changes a RETRY_PENDING order to PAID, so that its history shows every try. */
const beginTry = async (
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
  read: InstallmentToVerify,
  { code, reason }: Extract<VerifyResult, { kind: 'FAILED' }>,
): Promise<undefined> =>
  deps.inTransaction(async (tx) => {
    const order = await lockUnchanged(tx, read);
    if (order === undefined) return undefined;
    await beginTry(deps, tx, order);
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
  read: InstallmentToVerify,
  buy: VerifiedBuy,
): Promise<HeldConfirm<LockedBuy> | undefined> =>
  deps.inTransaction(async (tx) => {
    const { clock, random } = deps;
    const order = await lockUnchanged(tx, read);
    if (order === undefined) return undefined;
    const at = clock.now();
    await beginTry(deps, tx, order);
    const isStored = await updateVerifiedInstallment(tx, order.id, buy, at);
    const verified = { ...order, ...buy, status: 'PAID' } as const;
    if (!isStored || !isLockedBuy(verified)) return undefined;
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
  read: InstallmentToVerify,
): Promise<HeldConfirm<LockedBuy> | undefined> => {
  const result = await verify(deps, read.order);
  if (result.kind === 'FAILED') return recordFailure(deps, read, result);
  return recordVerified(deps, read, result.buy);
};
