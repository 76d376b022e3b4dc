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

/** A paid installment that must be verified at the provider, as it was read under its lock. */
export interface InstallmentToVerify {
  readonly order: GoldOrder;
  /** The newest confirm, which was certainly refused, or undefined for the first try. */
  readonly lastConfirmId: string | undefined;
}

type Verified =
  | { readonly kind: 'VERIFIED'; readonly buy: VerifiedBuy }
  | { readonly kind: 'FAILED'; readonly code: ManualReviewCode; readonly reason: string };

/** Locks the order again. Returns undefined if another worker has changed it meanwhile. */
const lockSame = async (tx: Db, { order: read, lastConfirmId }: InstallmentToVerify) => {
  const order = await lockOrder(tx, read.id);
  if (order === undefined || !isAwaitingAllocation(order.status)) return undefined;
  const latest = await findLatestConfirm(tx, 'buy-confirm', read.id);
  const isSame =
    order.status === read.status &&
    order.allocationAttempts === read.allocationAttempts &&
    latest?.id === lastConfirmId;
  return isSame ? { ...order, status: order.status } : undefined;
};

const verify = async (
  deps: AllocationDeps,
  { id, userId, amountPaise }: GoldOrder,
): Promise<Verified> => {
  try {
    const providerUserId = await requireRegisteredUser(deps.db, userId);
    const requested = formatRupees(amountPaise);
    const amount = { unit: 'INR', amountPaise, requested } as const;
    // The reference is the same at the confirm, for providers without transaction ids of their own.
    const buy = await verifyBuy(deps, { userId, providerUserId, amount, reference: id });
    return { kind: 'VERIFIED', buy };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const isOther = isGramsMismatch(error);
    const reason = `The last verify ended in ${error.code}${isOther ? ', for other grams' : ''}.`;
    return { kind: 'FAILED', code: isOther ? 'GRAMS_MISMATCH' : 'ALLOCATION_EXHAUSTED', reason };
  }
};

/** Returns the order to PAID, so that its history shows every try. */
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
  { code, reason }: Extract<Verified, { kind: 'FAILED' }>,
): Promise<undefined> =>
  deps.inTransaction(async (tx) => {
    const order = await lockSame(tx, read);
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

const recordIntended = (
  deps: AllocationDeps,
  read: InstallmentToVerify,
  buy: VerifiedBuy,
): Promise<HeldConfirm<LockedBuy> | undefined> =>
  deps.inTransaction(async (tx) => {
    const { clock, random } = deps;
    const order = await lockSame(tx, read);
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
 * Verifies a paid installment at the current price and stores the result with the intent to confirm
 * it, in one transaction. The caller confirms at once (contract: plans > Installments). Returns
 * undefined if the verify failed, which is recorded, or if another worker has the order. A verify
 * that is not stored has no effect at the provider, so a process that dies in between leaves
 * nothing behind.
 */
export const verifyInstallment = async (
  deps: AllocationDeps,
  read: InstallmentToVerify,
): Promise<HeldConfirm<LockedBuy> | undefined> => {
  const verified = await verify(deps, read.order);
  if (verified.kind === 'FAILED') return recordFailure(deps, read, verified);
  return recordIntended(deps, read, verified.buy);
};
