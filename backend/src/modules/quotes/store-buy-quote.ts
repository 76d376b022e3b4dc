import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import { lockHolding } from '../holdings/index.ts';
import { insertBuyQuote, supersedeBuyQuotes } from './quotes.store.ts';
import type { BuyQuote } from './quotes.types.ts';

/** Active buy quotes of one customer (contract: limits > Quotes and locks). */
const maxActiveQuotes = 10;

export interface StoreBuyQuoteDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'countBound'>;
}

/**
 * Stores a drafted buy quote. Where the customer has the most already, the oldest are superseded:
 * EXPIRED before their time. The holding's lock makes requests of one customer take turns, with
 * each other and with the payment order that consumes a quote.
 */
export const storeBuyQuote = async (
  { inTransaction, clock, metrics }: StoreBuyQuoteDeps,
  quote: BuyQuote,
): Promise<void> => {
  const superseded = await inTransaction(async (tx) => {
    await lockHolding(tx, quote.userId);
    const kept = maxActiveQuotes - 1;
    const count = await supersedeBuyQuotes(tx, quote.userId, { kept, at: clock.now() });
    await insertBuyQuote(tx, quote);
    return count;
  });
  if (superseded > 0) metrics.countBound('active_buy_quotes', superseded);
};
