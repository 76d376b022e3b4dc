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
   * The intent of the confirm. Present if the verify recorded it in the transaction that made the
   * sale VERIFIED.
   */
  readonly intended?: HeldConfirm<VerifiedSale> | undefined;
  /** True for a sweep, which never confirms. */
  readonly isOnlyQueried?: boolean;
}

/** The confirm of a verified sale at the provider. */
interface SaleConfirm {
  readonly orderId: string;
  readonly providerTxId: string;
  readonly by: SaleInitiator;
  /** True if a final status of the provider may end the sale as FAILED. */
  readonly mayFail: boolean;
  /** The intent of the confirm. Present if this process holds it and may confirm. */
  readonly held?: HeldConfirm<VerifiedSale>;
}

/**
 * Writes the first intent to confirm a sale, in the transaction that makes it VERIFIED. Undefined
 * for an order that is no verified sale.
 */
export const intendConfirm = async (
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

const toQuery = (
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
  call: { ...toQuery(held.order, by, false), held },
  wasSent,
});

/** Reads the sale under its lock, and writes and acquires the intent, committed before the call. */
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
    if (isUnderReview || isOver) return { kind: 'QUERY', call: toQuery(order, by, isUnderReview) };
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
    ? { kind: 'QUERY', call: toQuery(order, by, true) }
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
 * Declares how a verified sale is confirmed. Only the provider's order status decides the outcome.
 * Until it is final, the sale stays VERIFIED and under review, with its grams reserved. A sale
 * under review is never confirmed again, only queried (contract: selling > Sales under review).
 */
export const createSaleCall = (
  deps: SellingDeps,
): CallProtocol<SaleToConfirm, SaleConfirm, ConfirmedTransaction> => ({
  ...createConfirmSteps(deps, 'sell'),
  flow: 'sale_confirm',
  fieldsOf: ({ orderId }) => ({ orderId }),
  claim: (request) => claimSale(deps, request),
  // Only an operator can fail a sale that is not confirmed.
  hasArrived: () => false,
  decide({ held }, hasArrived) {
    if (held !== undefined && deps.clock.now() < held.order.lockEndsAt) return 'SEND';
    const reason = 'it may not be confirmed any more';
    return { kind: hasArrived ? 'INTENDED' : 'UNKNOWN', reason };
  },
  record: (confirm, result) => recordSale(deps, confirm, result),
});

/**
 * Puts the sale under review, because a verified sale must not be reported as cancelled after an
 * unexpected error.
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
    // It may have broken after the commit that ended it.
    if ((await findOrder(db, orderId))?.status !== 'VERIFIED') return;
  } catch (second) {
    // The sweep finds the sale, because it is VERIFIED and no process holds it.
    logger.error({ orderId, err: describeError(second) }, 'a sale could not be put under review');
  }
  throw new AppError('SELL_UNDER_REVIEW', { cause: error });
};

/**
 * Takes the second step of a sale, VERIFIED -> CONFIRMED. It may be repeated by anybody, and be
 * killed at any point.
 * @throws AppError SELL_UNDER_REVIEW, and REQUEST_IN_PROGRESS while another process has it
 */
export const confirmSale = async (deps: SellingDeps, sale: SaleToConfirm): Promise<void> => {
  try {
    const made = await makeCall(deps, createSaleCall(deps), sale);
    if (made.kind !== 'SKIP' || made.isHeld !== true) return;
  } catch (error) {
    return reviewAfterError(deps, sale.orderId, error);
  }
  throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
};
