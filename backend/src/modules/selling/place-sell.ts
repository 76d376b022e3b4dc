import { parseDecimal } from '../../money/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Db } from '../../platform/db/index.ts';
import { lockUsableAccount } from '../banking/index.ts';
import { freeGrams, lockHolding, readHolding, reserveGrams } from '../holdings/index.ts';
import { insertSellOrder } from '../orders/index.ts';
import { recordVerifyIntent } from '../provider-operations/index.ts';
import {
  type DraftSellQuote,
  type GoldAmount,
  type SellQuote,
  consumeQuote,
  findSellQuote,
  findUsableSellQuote,
  insertSellQuote,
  lockSellQuote,
  requireProviderUser,
  requireUsable,
  verifiablePrice,
} from '../quotes/index.ts';
import type { PlaceSellDeps } from './sell.deps.ts';

export interface SellRequest {
  readonly userId: string;
  readonly amount: GoldAmount;
  readonly bankAccountId: string;
  readonly quoteId?: string | undefined;
  readonly requestId: string;
}

/** The quote that a sell uses up. */
type QuoteToSell =
  /** Named by the caller, who is told when it can't be used. */
  | { readonly kind: 'named'; readonly quote: SellQuote }
  /** The newest that fits; where another sell was quicker, one is made. */
  | { readonly kind: 'found'; readonly quote: SellQuote }
  | { readonly kind: 'new'; readonly quote: SellQuote };

const isOfAmount = (quote: SellQuote, { unit, requested }: GoldAmount): boolean =>
  quote.unit === unit && parseDecimal(quote.requested, 8) === parseDecimal(requested, 8);

/** Uses the quote up; false when it was only found, and another sell was quicker. */
const consume = async (tx: Db, { kind, quote }: QuoteToSell, now: Date): Promise<boolean> => {
  if (kind === 'new') {
    await insertSellQuote(tx, { ...quote, status: 'CONSUMED' });
    return true;
  }
  const locked = await lockSellQuote(tx, quote.id, quote.userId);
  if (locked === undefined) throw new AppError('NOT_FOUND', { field: 'quote_id' });
  const isUsable = locked.status === 'ACTIVE' && locked.expiresAt > now;
  if (kind === 'found' && !isUsable) return false;
  requireUsable(locked, now);
  return consumeQuote(tx, quote.id, now);
};

/**
 * Writes a sell: one transaction in which the quote is consumed, the bank account checked, the
 * grams reserved and the order placed, before anything is asked of the provider. What refuses a
 * sell is looked at first, in the order of refusals (decisions, section 1), and again under the
 * locks, where it is definite.
 */
export const createPlaceSell = (deps: PlaceSellDeps & { readonly quotes: DraftSellQuote }) => {
  const { db, inTransaction, clock, random, quotes } = deps;

  const findNamed = async (request: SellRequest, quoteId: string): Promise<SellQuote> => {
    const quote = await findSellQuote(db, quoteId, request.userId);
    if (quote === undefined) {
      throw new AppError('NOT_FOUND', { message: 'There is no such quote.', field: 'quote_id' });
    }
    if (!isOfAmount(quote, request.amount)) {
      throw new AppError('VALIDATION_FAILED', {
        message: 'The quote is for another amount.',
        field: 'quote_id',
      });
    }
    return quote;
  };

  const chooseQuote = async (request: SellRequest, mayFind: boolean): Promise<QuoteToSell> => {
    const { userId, amount, quoteId } = request;
    if (quoteId !== undefined) return { kind: 'named', quote: await findNamed(request, quoteId) };
    const found = mayFind ? await findUsableSellQuote(db, userId, amount, clock.now()) : undefined;
    if (found !== undefined) return { kind: 'found', quote: found };
    return { kind: 'new', quote: quotes.draft(userId, amount, await verifiablePrice(deps)) };
  };

  /** Everything that may refuse the sell before anything is written. */
  const prepare = async (request: SellRequest, mayFind: boolean): Promise<QuoteToSell> => {
    const { userId, amount, bankAccountId } = request;
    await requireProviderUser(deps, userId);
    const chosen = await chooseQuote(request, mayFind);
    const free = freeGrams(await readHolding(db, userId));
    await quotes.checkLimits(chosen.quote, amount, free);
    await lockUsableAccount(db, userId, bankAccountId);
    if (chosen.quote.grams > free) throw new AppError('INSUFFICIENT_BALANCE', { field: 'amount' });
    if (chosen.kind === 'named') requireUsable(chosen.quote, clock.now());
    return chosen;
  };

  const write = (
    request: SellRequest,
    chosen: QuoteToSell,
    bind: (tx: Db, orderId: string) => Promise<void>,
  ): Promise<string | undefined> =>
    inTransaction(async (tx) => {
      const { userId, bankAccountId, requestId } = request;
      const { quote } = chosen;
      const at = clock.now();
      // First of all, so that two sells of one customer count each other.
      const free = freeGrams(await lockHolding(tx, userId));
      if (quote.grams > free) throw new AppError('INSUFFICIENT_BALANCE', { field: 'amount' });
      if (!(await consume(tx, chosen, at))) return undefined;
      await lockUsableAccount(tx, userId, bankAccountId);
      const id = random.uuid();
      if (!(await reserveGrams(tx, { userId, grams: quote.grams, at }))) {
        throw new AppError('INSUFFICIENT_BALANCE', { field: 'amount' });
      }
      await insertSellOrder(tx, {
        ...quote,
        id,
        eventId: random.uuid(),
        quoteId: quote.id,
        bankAccountId,
        requestId,
        at,
      });
      const intent = { ...quote, id: random.uuid(), orderId: id, quoteId: quote.id, at };
      await recordVerifyIntent(tx, intent);
      await bind(tx, id);
      return id;
    });

  /**
   * Answers the id of the new order, PENDING with its grams reserved.
   * @throws AppError in the order of refusals
   */
  return async (
    request: SellRequest,
    bind: (tx: Db, orderId: string) => Promise<void>,
  ): Promise<string> => {
    const found = await write(request, await prepare(request, true), bind);
    const id = found ?? (await write(request, await prepare(request, false), bind));
    if (id === undefined) throw new Error('a quote of a sell of its own was not there');
    await deps.portfolios.drop(request.userId);
    return id;
  };
};

export type PlaceSell = ReturnType<typeof createPlaceSell>;
