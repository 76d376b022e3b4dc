import { addMs, addSeconds } from '../../platform/clock/clock.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { ZERO_PAISE, subtractPaise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { schedule } from '../../platform/jobs/index.ts';
import { isStillCustomer } from '../identity/index.ts';
import { applyHeldPayment, listHeldPayments, type HeldPayment } from '../payments/index.ts';
import { allocateOrder, readVerdict, recordAllocationOutcome } from '../buying/index.ts';
import {
  type GoldOrder,
  type PriceLockedBuy,
  type OrderChanges,
  allocationRetry,
  hasPriceLock,
} from '../orders/index.ts';
import { verifyError } from '../quotes/index.ts';
import { requireRegisteredUser } from '../kyc/index.ts';
import {
  queryGateway,
  endReview,
  lockReviewed,
  illegalTransition,
  requireDecided,
  requireSamePayments,
  type Resolution,
  type Resolve,
  type ReviewDeps,
} from './resolution.ts';

/**
 * The time in seconds after which a worker resumes an allocation that the operator's request did
 * not finish.
 */
const takeOverSeconds = 30;

/** Returns the only held payment of an order. Throws if it can't pay for the allocation. */
const requireOnlyPayment = (held: readonly HeldPayment[]): HeldPayment => {
  const [payment, ...others] = held;
  if (payment === undefined) throw illegalTransition('No payment of this order is held.');
  if (others.length > 0) throw illegalTransition('A second payment is held: pay it back first.');
  const isFit = payment.isAsRequested && ['APPLIED', 'LATE'].includes(payment.disposition);
  if (!isFit) throw illegalTransition("The captured amount differs from the order's amount.");
  if (payment.reversals.length > 0)
    throw illegalTransition('The payment was reversed, in whole or in part.');
  return payment;
};

/** Throws if the order's gold was bought, or may have been. */
const requireUnbought = async ({ db }: ReviewDeps, order: GoldOrder): Promise<void> => {
  if (order.allocatedAt !== null)
    throw illegalTransition("This order's gold has already been allocated.");
  const latest = await requireDecided(db, order.id);
  if (latest?.status === 'DONE')
    throw illegalTransition('The provider has sold gold for this order.');
};

/** Throws unless the gateway, or the operator's reference, shows that the payment is held in full. */
const requireHeld = async (
  deps: ReviewDeps,
  payment: HeldPayment,
  reference: string | undefined,
): Promise<void> => {
  const state = await queryGateway(deps, payment);
  const isPartlyGone = state.kind === 'NOT_REPORTED' && state.isPartlyGone;
  if (state.kind === 'PAID_BACK' || state.kind === 'UNDER_WAY' || isPartlyGone) {
    throw illegalTransition('The gateway has paid the money back, or is about to.');
  }
  if (state.kind === 'NOT_REPORTED' && reference === undefined) {
    throw illegalTransition(
      'The gateway cannot say whether it has paid the money back. ' +
        'Look it up there, and give a reference that shows that it is held.',
    );
  }
};

/**
 * Queries the provider for the order's transaction, and returns true if it bought the gold. A second
 * transaction may be made only after that, so that gold is never bought twice.
 */
const wasBought = async (
  { clock, provider }: ReviewDeps,
  order: PriceLockedBuy,
): Promise<boolean> => {
  const status = await provider.buyStatus({ providerTxId: order.providerTxId });
  const at = { verifiedAt: order.lockStartedAt, now: clock.now() };
  const verdict = readVerdict(status, at, provider.rules);
  if (verdict === 'UNKNOWN') throw new AppError('PROVIDER_UNAVAILABLE', { cause: status });
  return verdict === 'BOUGHT';
};

/** Makes the queried payment pay for the order. Throws if the order's payments have changed. */
const applyPayment = async (
  deps: ReviewDeps,
  tx: Db,
  orderId: string,
  payment: HeldPayment,
): Promise<void> => {
  const current = await listHeldPayments(tx, orderId);
  const only = requireOnlyPayment(current);
  requireSamePayments([payment], current);
  await applyHeldPayment(deps, tx, only);
};

const recordBought = async (
  deps: ReviewDeps,
  order: GoldOrder,
  { by, audit }: Resolution,
  payment: HeldPayment,
): Promise<void> => {
  const bought = { orderId: order.id, verdict: 'BOUGHT', confirmId: undefined } as const;
  const recorded = await recordAllocationOutcome(
    deps,
    { ...bought, actor: by.actor, isPaymentAccepted: true, reason: 'status SUCCESS' },
    async (tx, before) => {
      await applyPayment(deps, tx, order.id, payment);
      await audit(tx, before);
    },
  );
  if (recorded !== 'ALLOCATED') throw illegalTransition('The order has changed meanwhile.');
};

/**
 * Verifies a buy again at the current price, and returns the changes of its order. The house bears
 * the difference from the quote.
 */
const verifyAgain = async (deps: ReviewDeps, order: PriceLockedBuy): Promise<OrderChanges> => {
  const { db, clock, random, provider, price } = deps;
  const providerUserId = await requireRegisteredUser(db, order.userId);
  const { buyRateId, providerBuyPaise, providerTaxBps } = await price.freshPrice();
  const lockStartedAt = clock.now();
  const verified = await provider.verifyBuy({
    providerUserId,
    reference: random.uuid(),
    rateId: buyRateId,
    rateBuyPaise: providerBuyPaise,
    rateTaxBps: providerTaxBps,
    grams: order.grams,
  });
  if (verified.kind !== 'done') throw verifyError(verified);
  if (verified.value.grams !== order.grams) throw new AppError('PROVIDER_MISMATCH');
  const { providerTxId, providerAmountPaise } = verified.value;
  const lockEndsAt = addMs(lockStartedAt, provider.rules.lockMs);
  // If an operator has verified the order before, this undoes the difference of that verify.
  const quotedAmountPaise = subtractPaise(
    order.providerAmountPaise ?? ZERO_PAISE,
    order.priceDifferencePaise ?? ZERO_PAISE,
  );
  return {
    providerTxId,
    providerRateId: buyRateId,
    providerAmountPaise,
    lockStartedAt,
    lockEndsAt,
    expiresAt: lockEndsAt,
    priceDifferencePaise: subtractPaise(providerAmountPaise, quotedAmountPaise),
  };
};

/** Changes the order to PAID, with new retries. Throws if it has changed since it was read. */
const returnToPaid = (
  deps: ReviewDeps,
  order: GoldOrder,
  request: Resolution,
  payment: HeldPayment,
  verifyChanges: OrderChanges,
): Promise<void> =>
  deps.inTransaction(async (tx) => {
    const { clock } = deps;
    const locked = await lockReviewed(tx, order.id);
    if (locked.allocatedAt !== null || locked.providerTxId !== order.providerTxId) {
      throw illegalTransition('The order has changed meanwhile.');
    }
    await requireDecided(tx, order.id);
    await applyPayment(deps, tx, order.id, payment);
    const paidAt = locked.paidAt ?? clock.now();
    const changes = { ...verifyChanges, paidAt, allocationAttempts: 0, nextAttemptAt: null };
    await endReview(deps, tx, request, { to: 'PAID', cause: 'resolve.allocate' }, changes);
    // If this process dies before it has allocated the order, this job allocates it.
    await schedule(tx, allocationRetry(order.id, addSeconds(clock.now(), takeOverSeconds)));
    await request.audit(tx, locked);
  });

/**
 * Buys the order's grams at the current price, as the resolution `ALLOCATE` (contract: states >
 * Resolutions). The customer gets the grams that were paid for. The house bears the difference
 * between the provider's current charge and its charge at the quote, `price_difference_paise`. An
 * installment has no ordered grams, so it buys gold for its rupees. After that, the order is
 * allocated like any paid order, with a new lock and new retries.
 */
export const resolveAllocate: Resolve = async (deps, order, request) => {
  const { db } = deps;
  const isInstallment = order.type === 'SIP_INSTALLMENT';
  if (!isInstallment && !hasPriceLock(order))
    throw illegalTransition('Only a buy can be allocated.');
  if (!(await isStillCustomer(db, order.userId))) {
    throw illegalTransition('The customer has deleted their account. Please pay the money back.');
  }
  await requireUnbought(deps, order);
  const payment = requireOnlyPayment(await listHeldPayments(db, order.id));
  await requireHeld(deps, payment, request.reference);
  if (hasPriceLock(order) && (await wasBought(deps, order))) {
    return recordBought(deps, order, request, payment);
  }
  if (isInstallment) {
    // Each attempt at an installment's allocation verifies again, so it is not verified here.
    await requireRegisteredUser(db, order.userId);
    await returnToPaid(deps, order, request, payment, {});
  } else if (hasPriceLock(order)) {
    await returnToPaid(deps, order, request, payment, await verifyAgain(deps, order));
  }
  await allocateOrder(deps, order.id);
};
