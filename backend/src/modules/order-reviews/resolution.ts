import { AppError } from '../../platform/errors/app-error.ts';
import type { Db } from '../../platform/db/index.ts';
import type { AllocationDeps } from '../buying/index.ts';
import {
  hasGold,
  lockOrder,
  type BuyStatus,
  type GoldOrder,
  transitionBuy,
  type OrderChanges,
  type TransitionDeps,
} from '../orders/index.ts';
import {
  fetchRefundState,
  pollForResolution,
  type HeldPayment,
  type PaymentsDeps,
  type RefundState,
} from '../payments/index.ts';
import { findLatestConfirm, type Confirm } from '../provider-operations/index.ts';
import type { SaleInitiator, SaleOutcomeDeps } from '../selling/index.ts';
import type { ResolutionName } from './order-reviews.schemas.ts';

/** An operator's request to end a review, with its actor and its audit row. */
export interface Resolution {
  readonly orderId: string;
  readonly resolution: ResolutionName;
  readonly reference: string | undefined;
  readonly note: string | undefined;
  /** The operator, for the order's history. */
  readonly by: SaleInitiator;
  /** Writes the audit row, in the transaction that resolves the order. */
  readonly audit: (tx: Db, before: GoldOrder) => Promise<void>;
}

/** Ends a review by one resolution. Throws an AppError and changes nothing if it does not fit. */
export type Resolve = (deps: ReviewDeps, order: GoldOrder, request: Resolution) => Promise<void>;

/** Creates the error 409 for a resolution that does not fit the order, or no longer does. */
export const illegalTransition = (message: string, order?: Pick<GoldOrder, 'status'>): AppError =>
  new AppError('ILLEGAL_TRANSITION', {
    message,
    ...(order !== undefined && { details: { status: order.status } }),
  });

/** Creates the error 409 for a resolution that must wait until an earlier attempt is decided. */
export const outcomeUndecided = (message?: string): AppError =>
  new AppError('OUTCOME_UNDECIDED', message === undefined ? {} : { message });

/** Creates the error 503 for a gateway or provider that does not respond to a query. */
export const noAnswer = (collaborator: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', {
    message: `${collaborator} is not responding. The review stays open. Please try again in a few minutes.`,
  });

/**
 * Returns true for an order under review. A sale stays VERIFIED, with a review code. Other orders
 * are in MANUAL_REVIEW.
 */
export const isUnderReview = ({ type, status, manualReviewCode }: GoldOrder): boolean =>
  type === 'SELL' ? status === 'VERIFIED' && manualReviewCode !== null : status === 'MANUAL_REVIEW';

/**
 * Returns the newest confirm of a buy, or undefined if there is none.
 * @throws AppError OUTCOME_UNDECIDED if its outcome is unknown
 */
export const requireDecided = async (db: Db, orderId: string): Promise<Confirm | undefined> => {
  const latest = await findLatestConfirm(db, 'buy-confirm', orderId);
  if (latest?.status === 'INTENDED' || latest?.status === 'UNKNOWN') throw outcomeUndecided();
  return latest;
};

/** Locks a buy. Throws if it is no longer under review. */
export const lockReviewed = async (tx: Db, orderId: string): Promise<GoldOrder> => {
  const order = await lockOrder(tx, orderId);
  if (order?.status !== 'MANUAL_REVIEW') {
    throw illegalTransition('The order is not under review any more.', order);
  }
  return order;
};

/** The dependencies that all resolutions share. */
export interface ReviewDeps extends AllocationDeps, SaleOutcomeDeps {
  readonly metrics: SaleOutcomeDeps['metrics'];
  readonly payments: PaymentsDeps;
}

/** Ends the review of a purchase that is locked, in the transaction of its resolution. */
export const endReview = (
  deps: TransitionDeps,
  tx: Db,
  { by, orderId: id }: Resolution,
  { to, cause }: { readonly to: BuyStatus; readonly cause: string },
  otherChanges: OrderChanges = {},
): Promise<void> => {
  const changes = { manualReviewCode: null, manualReviewReason: null, ...otherChanges };
  return transitionBuy(deps, tx, { id, status: 'MANUAL_REVIEW' }, { ...by, to, cause, changes });
};

/**
 * Records the payments of an order that no event reported. An order must not become FAILED while
 * unreported money may exist.
 * @throws AppError SERVICE_UNAVAILABLE if a gateway does not answer
 */
export const recordUnreported = async (
  { payments }: Pick<ReviewDeps, 'payments'>,
  orderId: string,
): Promise<void> => {
  if (!(await pollForResolution(payments, orderId))) throw noAnswer('The payment gateway');
};

/** A held payment, and the state that its gateway reports. */
export interface QueriedPayment {
  readonly payment: HeldPayment;
  readonly state: Exclude<RefundState, { kind: 'NO_ANSWER' }>;
}

/**
 * Queries the gateway for the state of a payment's money.
 * @throws AppError SERVICE_UNAVAILABLE if the gateway does not answer
 */
export const queryGateway = async (
  { payments }: ReviewDeps,
  payment: HeldPayment,
  reference?: string,
): Promise<QueriedPayment['state']> => {
  const state = await fetchRefundState(payments, payment, reference);
  if (state.kind === 'NO_ANSWER') throw noAnswer('The payment gateway');
  return state;
};

/** Queries the gateways for each payment of an order, one after the other. */
export const queryGateways = async (
  deps: ReviewDeps,
  payments: readonly HeldPayment[],
  reference?: string,
): Promise<QueriedPayment[]> => {
  const queried: QueriedPayment[] = [];
  for (const payment of payments) {
    queried.push({ payment, state: await queryGateway(deps, payment, reference) });
  }
  return queried;
};

/** Returns true for a captured payment that does not pay for its order. */
export const isUnapplied = ({ disposition }: HeldPayment): boolean => disposition !== 'APPLIED';

/** Throws if the customer does not have the order's gold. */
export const requireGold = (order: GoldOrder): void => {
  if (!hasGold(order)) throw illegalTransition('The order has no gold to keep or recover.');
};

/** Returns a text that differs if payments, their failures or their reversals differ. */
const fingerprintOf = (payments: readonly HeldPayment[]): string =>
  payments
    .flatMap(({ id, hasOpenFailure, reversals }) => [
      `${id}${hasOpenFailure ? ' failed' : ''}`,
      ...reversals.map((reversal) => reversal.id),
    ])
    .join(' ');

/** Throws if the order's payments have changed since they were queried. */
export const requireSamePayments = (
  queried: readonly HeldPayment[],
  current: readonly HeldPayment[],
): void => {
  if (fingerprintOf(queried) === fingerprintOf(current)) return;
  throw illegalTransition('The order has changed meanwhile.');
};
