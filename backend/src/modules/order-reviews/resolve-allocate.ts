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
  type LockedBuy,
  type OrderChanges,
  allocationRetry,
  isLockedBuy,
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

const onlyPayment = (held: readonly HeldPayment[]): HeldPayment => {
  const [payment, ...others] = held;
  if (payment === undefined) throw illegalTransition('No payment of this order is held.');
  if (others.length > 0) throw illegalTransition('A second payment is held: pay it back first.');
  const isFit = payment.isAsRequested && ['APPLIED', 'LATE'].includes(payment.disposition);
  if (!isFit) throw illegalTransition("The captured amount differs from the order's amount.");
  if (payment.reversals.length > 0)
    throw illegalTransition('The payment was reversed, in whole or in part.');
  return payment;
};

const requireUnbought = async ({ db }: ReviewDeps, order: GoldOrder): Promise<void> => {
  if (order.allocatedAt !== null)
    throw illegalTransition("This order's gold has already been allocated.");
  const latest = await requireDecided(db, order.id);
  if (latest?.status === 'DONE')
    throw illegalTransition('The provider has sold gold for this order.');
};

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
    const why = 'The gateway cannot say whether it has paid the money back.';
    throw illegalTransition(
      `${why} Look it up there, and give a reference that shows that it is held.`,
    );
  }
};

/** Queries the first transaction before a second is made, so that gold is never bought twice. */
const wasBought = async ({ clock, provider }: ReviewDeps, order: LockedBuy): Promise<boolean> => {
  const status = await provider.buyStatus({ providerTxId: order.providerTxId });
  const at = { verifiedAt: order.lockStartedAt, now: clock.now() };
  const verdict = readVerdict(status, at, provider.rules);
  if (verdict === 'UNKNOWN') throw new AppError('PROVIDER_UNAVAILABLE', { cause: status });
  return verdict === 'BOUGHT';
};

/** Applies the one payment that was queried to the order, unless the order's payments changed. */
const applyPayment = async (
  deps: ReviewDeps,
  tx: Db,
  orderId: string,
  payment: HeldPayment,
): Promise<void> => {
  const now = await listHeldPayments(tx, orderId);
  const only = onlyPayment(now);
  requireSamePayments([payment], now);
  await applyHeldPayment(deps, tx, only);
};

const recordBought = async (
  deps: ReviewDeps,
  order: GoldOrder,
  { by, audit }: Resolution,
  payment: HeldPayment,
): Promise<void> => {
  const found = { orderId: order.id, verdict: 'BOUGHT', confirmId: undefined } as const;
  const recorded = await recordAllocationOutcome(
    deps,
    { ...found, actor: by.actor, isPaymentAccepted: true, reason: 'status SUCCESS' },
    async (tx, before) => {
      await applyPayment(deps, tx, order.id, payment);
      await audit(tx, before);
    },
  );
  if (recorded !== 'ALLOCATED') throw illegalTransition('The order has changed meanwhile.');
};

/** Verifies a buy again. The house bears the difference from the quote. */
const verifyAnew = async (deps: ReviewDeps, order: LockedBuy): Promise<OrderChanges> => {
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
  // Of the quote, also where an operator has allocated it once before.
  const quoted = subtractPaise(
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
    priceDifferencePaise: subtractPaise(providerAmountPaise, quoted),
  };
};

/** Returns the order to PAID, with new retries, if it has not changed since it was read. */
const returnToPaid = (
  deps: ReviewDeps,
  order: GoldOrder,
  request: Resolution,
  payment: HeldPayment,
  more: OrderChanges,
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
    const changes = { ...more, paidAt, allocationAttempts: 0, nextAttemptAt: null };
    await endReview(deps, tx, request, { to: 'PAID', cause: 'resolve.allocate' }, changes);
    // The job allocates the order if this process dies first. It is due later than the attempt that
    // follows here.
    await schedule(tx, allocationRetry(order.id, addSeconds(clock.now(), takeOverSeconds)));
    await request.audit(tx, locked);
  });

/**
 * Buys the order's grams at the current price, as the resolution `ALLOCATE` (contract: states >
 * Resolutions). The provider's current charge, minus its charge at the quote, is
 * `price_difference_paise`. The house bears it, and the customer gets the grams that were paid for.
 * An installment has no ordered grams. It buys gold for its rupees at the current price, and waits
 * for a retry if its verify gets no response. After the verify, the order is allocated like any
 * paid order, with a new lock and new retries.
 */
export const resolveAllocate: Resolve = async (deps, order, request) => {
  const { db } = deps;
  const isInstallment = order.type === 'SIP_INSTALLMENT';
  if (!isInstallment && !isLockedBuy(order))
    throw illegalTransition('Only a buy can be allocated.');
  if (!(await isStillCustomer(db, order.userId))) {
    throw illegalTransition('The customer has deleted their account. Please pay the money back.');
  }
  await requireUnbought(deps, order);
  const payment = onlyPayment(await listHeldPayments(db, order.id));
  await requireHeld(deps, payment, request.reference);
  if (isLockedBuy(order) && (await wasBought(deps, order))) {
    return recordBought(deps, order, request, payment);
  }
  if (isInstallment) {
    // An installment buys gold for its rupees at the current price, so each attempt of its
    // allocation verifies again.
    await requireRegisteredUser(db, order.userId);
    await returnToPaid(deps, order, request, payment, {});
  } else if (isLockedBuy(order)) {
    await returnToPaid(deps, order, request, payment, await verifyAnew(deps, order));
  }
  await allocateOrder(deps, order.id);
};
