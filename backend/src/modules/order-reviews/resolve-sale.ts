import { UNKNOWN_TRANSACTION } from '../../adapters/gold-provider/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { type GoldOrder, type VerifiedSale, isVerifiedSale } from '../orders/index.ts';
import {
  type SaleVerdict,
  readSaleVerdict,
  recordSaleOutcome,
  reviewOf,
} from '../selling/index.ts';
import {
  illegalTransition,
  noAnswer,
  outcomeUndecided,
  type Resolution,
  type Resolve,
  type ReviewDeps,
} from './resolution.ts';

const requireVerifiedSale = (order: GoldOrder): VerifiedSale => {
  if (!isVerifiedSale(order))
    throw illegalTransition('This resolution applies only to a verified sale under review.');
  return order;
};

interface SaleAnswer {
  readonly verdict: SaleVerdict;
  /** The provider's response, which is recorded with the operation. */
  readonly answer: string;
}

const queryStatus = async ({ provider }: ReviewDeps, order: VerifiedSale): Promise<SaleAnswer> => {
  const status = await provider.sellStatus({ providerTxId: order.providerTxId });
  const isUnknownThere = status.kind === 'refused' && status.code === UNKNOWN_TRANSACTION;
  if (status.kind !== 'done' && !isUnknownThere) throw noAnswer('The gold provider');
  return { verdict: readSaleVerdict(status), answer: describeOutcome(status) };
};

const record = async (
  deps: ReviewDeps,
  { orderId, by, audit }: Resolution,
  { verdict, answer }: SaleAnswer,
  mayFail: boolean,
): Promise<void> => {
  const outcome = {
    ...by,
    orderId,
    verdict,
    cause: verdict === 'SOLD' ? 'resolve.confirm-sell' : 'resolve.release-sell',
    reason: `status ${answer}`,
    mayFail,
    review: reviewOf('UNKNOWN', undefined),
  };
  const recorded = await recordSaleOutcome(deps, outcome, audit);
  // Another process has recorded the outcome between the query and the lock.
  if (recorded === 'LEFT') throw illegalTransition('The sale is not under review any more.');
};

/**
 * Returns true if the provider's window for confirms has ended. This service sends every confirm
 * within the window, so the provider can't receive one later.
 */
const isPastConfirmWindow = (
  { clock, provider }: ReviewDeps,
  { lockStartedAt }: VerifiedSale,
): boolean => clock.now() > addMs(lockStartedAt, provider.rules.confirmWindowMs);

/**
 * Records that the provider bought the gold of a sale, as the resolution `CONFIRM_SELL` (contract:
 * states > Resolutions).
 */
export const resolveConfirmSell: Resolve = async (deps, order, request) => {
  const answer = await queryStatus(deps, requireVerifiedSale(order));
  if (answer.verdict === 'SOLD') return record(deps, request, answer, false);
  if (answer.verdict === 'FAILED')
    throw illegalTransition('The provider says that the sale failed.');
  throw outcomeUndecided('The provider does not say that it bought the gold.');
};

/**
 * Fails a sale whose gold the provider has not bought and never will, as the resolution
 * `RELEASE_SELL` (contract: states > Resolutions).
 */
export const resolveReleaseSell: Resolve = async (deps, order, request) => {
  const sale = requireVerifiedSale(order);
  const answer = await queryStatus(deps, sale);
  if (answer.verdict === 'SOLD')
    throw illegalTransition('The provider says that it bought the gold.');
  const isOver = answer.verdict === 'NOT_CONFIRMED' && isPastConfirmWindow(deps, sale);
  if (answer.verdict === 'FAILED' || isOver) return record(deps, request, answer, true);
  throw outcomeUndecided('The provider may still buy the gold.');
};
