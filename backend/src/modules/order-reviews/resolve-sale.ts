import { UNKNOWN_TRANSACTION } from '../../adapters/gold-provider/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { type GoldOrder, type VerifiedSale, isVerifiedSale } from '../orders/index.ts';
import {
  type SaleOutcomeDeps,
  type SaleVerdict,
  type SellingDeps,
  readSaleVerdict,
  recordSaleOutcome,
  reviewOf,
} from '../selling/index.ts';
import { noFit, notAnswered, undecided, type Resolution, type Resolve } from './resolution.ts';

const requireVerifiedSale = (order: GoldOrder): VerifiedSale => {
  if (!isVerifiedSale(order))
    throw noFit('This resolution applies only to a verified sale under review.');
  return order;
};

export type ResolveSaleDeps = SaleOutcomeDeps & Pick<SellingDeps, 'provider'>;

/** Creates `CONFIRM_SELL` and `RELEASE_SELL`: the provider is queried, and its answer decides. */
export const createResolveSale = (
  deps: ResolveSaleDeps,
): { readonly confirm: Resolve; readonly release: Resolve } => {
  const { provider, clock } = deps;

  const queryStatus = async (order: VerifiedSale) => {
    const status = await provider.sellStatus({ providerTxId: order.providerTxId });
    const isUnknownThere = status.kind === 'refused' && status.code === UNKNOWN_TRANSACTION;
    if (status.kind !== 'done' && !isUnknownThere) throw notAnswered('The gold provider');
    return { verdict: readSaleVerdict(status), answer: describeOutcome(status) };
  };

  const record = async (
    { orderId, by, audit }: Resolution,
    asked: { readonly verdict: SaleVerdict; readonly answer: string },
    mayFail: boolean,
  ) => {
    const recorded = await recordSaleOutcome(
      deps,
      {
        ...by,
        orderId,
        verdict: asked.verdict,
        cause: asked.verdict === 'SOLD' ? 'resolve.confirm-sell' : 'resolve.release-sell',
        reason: `status ${asked.answer}`,
        mayFail,
        review: reviewOf('UNKNOWN', undefined),
      },
      audit,
    );
    // Another process recorded it between the query and the lock.
    if (recorded === 'LEFT') throw noFit('The sale is not under review any more.');
  };

  /**
   * Returns true for a sale that can no longer be confirmed: our confirms end before the window.
   */
  const isPastItsTime = ({ lockStartedAt }: VerifiedSale): boolean =>
    clock.now() > addMs(lockStartedAt, provider.rules.confirmWindowMs);

  return {
    async confirm(order, asked) {
      const found = await queryStatus(requireVerifiedSale(order));
      if (found.verdict === 'SOLD') return record(asked, found, false);
      if (found.verdict === 'FAILED') throw noFit('The provider says that the sale failed.');
      throw undecided('The provider does not say that it bought the gold.');
    },

    async release(order, asked) {
      const sale = requireVerifiedSale(order);
      const found = await queryStatus(sale);
      if (found.verdict === 'SOLD') throw noFit('The provider says that it bought the gold.');
      const isOver = found.verdict === 'NOT_CONFIRMED' && isPastItsTime(sale);
      if (found.verdict === 'FAILED' || isOver) return record(asked, found, true);
      throw undecided('The provider may still buy the gold.');
    },
  };
};
