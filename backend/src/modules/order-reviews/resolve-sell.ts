import { UNKNOWN_TRANSACTION } from '../../adapters/gold-provider/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { describeOutcome } from '../../platform/outcome/outcome.ts';
import { type GoldOrder, type VerifiedSell, isVerifiedSell } from '../orders/index.ts';
import {
  type SaleOutcomeDeps,
  type SaleVerdict,
  type SellingDeps,
  readSaleVerdict,
  recordSaleOutcome,
  reviewOf,
} from '../selling/index.ts';
import { noFit, notAnswered, undecided } from './no-fit.ts';
import type { Resolution, Resolve } from './resolve.types.ts';

const requireSell = (order: GoldOrder): VerifiedSell => {
  if (!isVerifiedSell(order)) throw noFit('Only a verified sell under review fits.');
  return order;
};

/** `CONFIRM_SELL` and `RELEASE_SELL`: the provider is asked, and its word decides. */
export const createResolveSell = (
  deps: SaleOutcomeDeps & Pick<SellingDeps, 'provider'>,
): { readonly confirm: Resolve; readonly release: Resolve } => {
  const { provider, clock } = deps;

  const ask = async (order: VerifiedSell) => {
    const status = await provider.sellStatus({ providerTxId: order.providerTxId });
    const isUnknownThere = status.kind === 'refused' && status.code === UNKNOWN_TRANSACTION;
    if (status.kind !== 'done' && !isUnknownThere) throw notAnswered('The gold provider');
    return { verdict: readSaleVerdict(status), word: describeOutcome(status) };
  };

  const settle = async (
    { orderId, by, audit }: Resolution,
    asked: { readonly verdict: SaleVerdict; readonly word: string },
    mayFail: boolean,
  ) => {
    const settled = await recordSaleOutcome(
      deps,
      {
        ...by,
        orderId,
        verdict: asked.verdict,
        cause: asked.verdict === 'SOLD' ? 'resolve.confirm-sell' : 'resolve.release-sell',
        reason: `status ${asked.word}`,
        mayFail,
        review: reviewOf('UNKNOWN', undefined),
      },
      audit,
    );
    // Somebody else settled it between the look and the lock.
    if (settled === 'LEFT') throw noFit('The sell is not under review any more.');
  };

  /** Nobody can confirm it any more: our own confirms end earlier (lockMs) than the window. */
  const isPastItsTime = ({ lockStartedAt }: VerifiedSell): boolean =>
    clock.now() > addMs(lockStartedAt, provider.rules.confirmWindowMs);

  return {
    async confirm(order, asked) {
      const found = await ask(requireSell(order));
      if (found.verdict === 'SOLD') return settle(asked, found, false);
      if (found.verdict === 'FAILED') throw noFit('The provider says that the sell failed.');
      throw undecided('The provider does not say that it bought the gold.');
    },

    async release(order, asked) {
      const sell = requireSell(order);
      const found = await ask(sell);
      if (found.verdict === 'SOLD') throw noFit('The provider says that it bought the gold.');
      const isOver = found.verdict === 'NOT_CONFIRMED' && isPastItsTime(sell);
      if (found.verdict === 'FAILED' || isOver) return settle(asked, found, true);
      throw undecided('The provider may still buy the gold.');
    },
  };
};
