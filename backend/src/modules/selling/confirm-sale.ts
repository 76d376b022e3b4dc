import type { ConfirmedTransaction } from '../../adapters/gold-provider/port.ts';
import {
  heldElsewhere,
  makeCall,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
} from '../../platform/collaborator-call/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { describeError } from '../../platform/observability/index.ts';
import {
  type GoldOrder,
  type VerifiedSale,
  findOrder,
  isVerifiedSale,
  lockOrder,
  markSaleInReview,
} from '../orders/index.ts';
import {
  acquireConfirm,
  createConfirmSteps,
  describeConfirm,
  findLatestConfirm,
  recordIntent,
  type HeldConfirm,
} from '../provider-operations/index.ts';
import { recordSaleOutcome, reviewOf, saleVerdicts } from './record-sale-outcome.ts';
import type { SaleInitiator, SellingDeps } from './selling.types.ts';

interface SaleToConfirm {
  readonly orderId: string;
  readonly by: SaleInitiator;
  /**
   * The confirm whose intent the verify has just recorded. Present if this request has just verified
   * the sale.
   */
  readonly intended?: HeldConfirm<VerifiedSale> | undefined;
  /** True if the provider is only queried. A sweep never confirms a sale. */
  readonly isOnlyQueried?: boolean;
}

/** One turn at the confirm of a verified sale at the provider. */
interface SaleConfirm {
  readonly orderId: string;
  readonly providerTxId: string;
  readonly by: SaleInitiator;
  /** True if a final status of the provider may end the sale as FAILED. */
  readonly mayFail: boolean;
  /** The confirm whose lease this process holds. Absent if the provider may only be queried. */
  readonly held?: HeldConfirm<VerifiedSale>;
}

/**
 * Records the first intent to confirm a sale, in the transaction that makes the sale VERIFIED.
 * Returns undefined if the order is not a verified sale.
 */
export const recordConfirmIntent = async (
  { clock, random }: Pick<SellingDeps, 'clock' | 'random'>,
  tx: Db,
  order: GoldOrder,
  providerUserId: string | null,
): Promise<HeldConfirm<VerifiedSale> | undefined> => {
  if (!isVerifiedSale(order)) return undefined;
  const [confirmId, holderId] = [random.uuid(), random.uuid()];
  await recordIntent(tx, 'sell-confirm', order, { id: confirmId, holderId, at: clock.now() });
  return { order, confirmId, holderId, providerUserId };
};

const saleConfirmOf = (
  { id: orderId, providerTxId }: VerifiedSale,
  by: SaleInitiator,
  mayFail: boolean,
): SaleConfirm => ({ orderId, providerTxId, by, mayFail });

const toSend = (
  held: HeldConfirm<VerifiedSale>,
  by: SaleInitiator,
  wasSent: boolean,
): Claim<SaleConfirm> => ({
  kind: 'SEND',
  call: { ...saleConfirmOf(held.order, by, false), held },
  wasSent,
});

/**
 * Decides the next step for a sale under its lock. If the sale may be confirmed, records the intent
 * and acquires its lease.
 */
const acquireSale = (
  { inTransaction, clock, random }: SellingDeps,
  { orderId, by }: SaleToConfirm,
): Promise<Claim<SaleConfirm>> =>
  inTransaction(async (tx): Promise<Claim<SaleConfirm>> => {
    const order = await lockOrder(tx, orderId);
    if (order === undefined || !isVerifiedSale(order)) return skip('it is no verified sale');
    const latest = await findLatestConfirm(tx, 'sell-confirm', orderId);
    if (latest?.isHeld === true) return heldElsewhere;
    const isUnderReview = order.manualReviewCode !== null;
    const at = clock.now();
    const isOver = at >= order.lockEndsAt || latest?.status === 'REFUSED';
    if (isUnderReview || isOver) {
      return { kind: 'QUERY', call: saleConfirmOf(order, by, isUnderReview) };
    }
    const holderId = random.uuid();
    const confirmId = latest?.id ?? random.uuid();
    const held = { order, confirmId, holderId };
    if (latest === undefined) {
      await recordIntent(tx, 'sell-confirm', order, { id: confirmId, holderId, at });
      return toSend(held, by, false);
    }
    const isAcquired = await acquireConfirm(tx, confirmId, { holderId, at });
    return isAcquired ? toSend(held, by, true) : heldElsewhere;
  });

const claimSale = async (
  deps: SellingDeps,
  request: SaleToConfirm,
): Promise<Claim<SaleConfirm>> => {
  const { orderId, by, intended, isOnlyQueried = false } = request;
  if (intended !== undefined) return toSend(intended, by, false);
  if (!isOnlyQueried) return acquireSale(deps, request);
  const order = await findOrder(deps.db, orderId);
  return order !== undefined && isVerifiedSale(order)
    ? { kind: 'QUERY', call: saleConfirmOf(order, by, true) }
    : skip('it is no verified sale');
};

const recordSale = async (
  deps: SellingDeps,
  { orderId, by, mayFail, held }: SaleConfirm,
  result: CallResult<ConfirmedTransaction>,
): Promise<void> => {
  const { kind, answer } = result;
  const verdict = saleVerdicts[kind === 'DONE' ? kind : (result.found?.kind ?? kind)];
  await recordSaleOutcome(deps, {
    ...by,
    orderId,
    verdict,
    cause: verdict === 'SOLD' ? 'provider.sold' : 'provider.not-sold',
    reason: describeConfirm(result),
    invoiceId: answer?.kind === 'done' ? answer.value.invoiceId : undefined,
    held,
    wasRefused: kind === 'INTENDED',
    mayFail: mayFail && verdict === 'FAILED',
    review: reviewOf(verdict === 'SOLD' ? 'UNKNOWN' : verdict, answer),
  });
};

/**
 * Declares the call that confirms a verified sale (contract: selling > Sales under review). Only the
 * provider's order status decides the outcome. Until the status is final, the sale stays VERIFIED
 * and under review, with its grams reserved. A sale under review is only queried, and never
 * confirmed again.
 */
export const createSaleCall = (
  deps: SellingDeps,
): CallProtocol<SaleToConfirm, SaleConfirm, ConfirmedTransaction> => ({
  ...createConfirmSteps(deps, 'sell'),
  flow: 'sale_confirm',
  fieldsOf: ({ orderId }) => ({ orderId }),
  claim: (request) => claimSale(deps, request),
  // An unconfirmed sale is never failed because of its age. Only an operator can fail it.
  hasArrived: () => false,
  decide({ held }, hasArrived) {
    if (held !== undefined && deps.clock.now() < held.order.lockEndsAt) return 'SEND';
    const reason = 'it may not be confirmed any more';
    return { kind: hasArrived ? 'INTENDED' : 'UNKNOWN', reason };
  },
  record: (confirm, result) => recordSale(deps, confirm, result),
});

/**
 * Puts a verified sale under review after an unexpected error, because the provider may have bought
 * the gold.
 * @throws AppError SELL_UNDER_REVIEW, unless the sale is no longer VERIFIED
 */
const reviewAfterError = async (
  { db, clock, logger }: SellingDeps,
  orderId: string,
  error: unknown,
): Promise<void> => {
  logger.error({ orderId, err: describeError(error) }, 'an error interrupted a verified sale');
  const review = { ...reviewOf('UNKNOWN', undefined), at: clock.now() };
  try {
    await markSaleInReview(db, orderId, review);
    // The error may have followed the commit that recorded the outcome.
    if ((await findOrder(db, orderId))?.status !== 'VERIFIED') return;
  } catch (reviewError) {
    // The sweep will find the sale, because it is VERIFIED and no process holds its lease.
    const err = describeError(reviewError);
    logger.error({ orderId, err }, 'a sale could not be put under review');
  }
  throw new AppError('SELL_UNDER_REVIEW', { cause: error });
};

/**
 * Confirms a verified sale at the provider, which changes the sale from VERIFIED to CONFIRMED. Any
 * process may repeat it, and it may be killed at any point.
 * @throws AppError SELL_UNDER_REVIEW, and REQUEST_IN_PROGRESS while another process has the lease
 */
export const confirmSale = async (deps: SellingDeps, sale: SaleToConfirm): Promise<void> => {
  try {
    const result = await makeCall(deps, createSaleCall(deps), sale);
    if (result.kind !== 'SKIP' || result.isHeld !== true) return;
  } catch (error) {
    return reviewAfterError(deps, sale.orderId, error);
  }
  throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
};
