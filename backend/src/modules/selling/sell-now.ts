import { createHash } from 'node:crypto';
import { parseDecimal, type Grams } from '../../money/index.ts';
import { readTogether, type Db, type ReadValues } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { HeldKey, KeyScope } from '../../platform/idempotency/index.ts';
import { withLock } from '../../platform/redis/index.ts';
import { lockUsableAccount, readAccountUse, requireUsableAccount } from '../banking/index.ts';
import { availableGrams, lockHolding, readHeldGold, reserveGramsSql } from '../holdings/index.ts';
import { findOrder, insertSellOrder, type GoldOrder, type VerifiedSale } from '../orders/index.ts';
import { verifiablePrice } from '../price/index.ts';
import { verifyIntentPart, type HeldConfirm } from '../provider-operations/index.ts';
import {
  type SellQuote,
  checkSellLimits,
  consumeQuote,
  draftSellQuote,
  findSellQuote,
  findUsableSellQuote,
  insertSellQuote,
  lockSellQuote,
  requireUsable,
  countQuote,
  type VerifyErrorCode,
} from '../quotes/index.ts';
import { readTrader, requireTrader } from '../kyc/index.ts';
import { readSettingVersions, type SettingVersions } from '../settings/index.ts';
import { findPayoutOfOrder, type Payout } from '../payouts/index.ts';
import type { SaleRequest, SellingDeps, SaleInitiator } from './selling.types.ts';
import { confirmSale } from './confirm-sale.ts';
import { verifySale, type HeldVerify } from './verify-sale.ts';

/** The quote that a sale consumes. */
type QuoteToSell =
  /** The quote that the customer named. If it can't be used, the sale is refused. */
  | { readonly kind: 'named'; readonly quote: SellQuote }
  /** The newest usable quote of this amount. If another sale consumes it, a new quote is drafted. */
  | { readonly kind: 'found'; readonly quote: SellQuote }
  | { readonly kind: 'new'; readonly quote: SellQuote };

/**
 * Returns the reads of the data that the checks of a sale need. The data that may change is read
 * again under the locks.
 */
export const readSaleBasis = (userId: string, bankAccountId: string) => ({
  ...readTrader(userId),
  holding: readHeldGold(userId),
  account: readAccountUse(bankAccountId),
  versions: readSettingVersions,
});

type SaleBasis = ReadValues<ReturnType<typeof readSaleBasis>>;

/** The idempotency key of a request to sell, with the data that was read when it was acquired. */
type SaleKey = HeldKey<SaleBasis>;

const findNamedQuote = async (
  { db }: SellingDeps,
  { userId, amount: { unit, requested } }: SaleRequest,
  quoteId: string,
): Promise<SellQuote> => {
  const quote = await findSellQuote(db, quoteId, userId);
  if (quote === undefined) {
    throw new AppError('NOT_FOUND', { message: 'There is no such quote.', field: 'quote_id' });
  }
  const isSameAmount =
    quote.unit === unit && parseDecimal(quote.requested, 8) === parseDecimal(requested, 8);
  if (isSameAmount) return quote;
  throw new AppError('VALIDATION_FAILED', {
    message: 'The quote is for another amount.',
    field: 'quote_id',
  });
};

const chooseQuote = async (
  deps: SellingDeps,
  request: SaleRequest,
  versions: SettingVersions,
  mayFind: boolean,
): Promise<QuoteToSell> => {
  const { db, clock } = deps;
  const { userId, amount, quoteId } = request;
  if (quoteId !== undefined) {
    return { kind: 'named', quote: await findNamedQuote(deps, request, quoteId) };
  }
  const storedQuote = mayFind
    ? await findUsableSellQuote(db, userId, amount, clock.now())
    : undefined;
  if (storedQuote !== undefined) return { kind: 'found', quote: storedQuote };
  await countQuote(deps, userId);
  const live = await verifiablePrice(deps, versions);
  return { kind: 'new', quote: draftSellQuote(deps, userId, amount, live) };
};

const requireAvailable = (grams: Grams, available: Grams): void => {
  if (grams > available) throw new AppError('INSUFFICIENT_BALANCE', { field: 'amount' });
};

interface PreparedSale {
  readonly chosen: QuoteToSell;
  readonly providerUserId: string;
}

/** Chooses the quote and checks every reason for a refusal, in the order of refusals. */
const prepare = async (
  deps: SellingDeps,
  request: SaleRequest,
  basis: SaleBasis,
  mayFind = true,
): Promise<PreparedSale> => {
  const { userId, amount } = request;
  const { versions } = basis;
  const providerUserId = requireTrader(basis);
  const chosen = await chooseQuote(deps, request, versions, mayFind);
  const available = availableGrams(basis.holding);
  await checkSellLimits(deps, chosen.quote, amount, available, versions);
  if (chosen.kind === 'named') requireUsable(chosen.quote, deps.clock.now());
  requireUsableAccount(basis.account, userId);
  requireAvailable(chosen.quote.grams, available);
  return { chosen, providerUserId };
};

/** Consumes the quote. Returns false if the customer did not name it and it can't be used now. */
const consume = async (
  deps: SellingDeps,
  tx: Db,
  { kind, quote }: QuoteToSell,
): Promise<boolean> => {
  const now = deps.clock.now();
  if (kind === 'new') {
    await insertSellQuote(tx, { ...quote, status: 'CONSUMED' });
    return true;
  }
  const locked = await lockSellQuote(tx, quote.id, quote.userId);
  if (locked === undefined) throw new AppError('NOT_FOUND', { field: 'quote_id' });
  const isUsable = locked.status === 'ACTIVE' && locked.expiresAt > now;
  if (kind === 'found' && !isUsable) return false;
  requireUsable(locked, now);
  return consumeQuote(deps, tx, quote, 'sale');
};

/**
 * Writes the sale in one transaction, whose locks make every check final. Returns undefined if the
 * quote that was found can't be used now.
 */
const writeSale = (
  deps: SellingDeps,
  { userId, bankAccountId, requestId }: SaleRequest,
  { chosen, providerUserId }: PreparedSale,
  key: SaleKey,
): Promise<HeldVerify | undefined> =>
  deps.inTransaction(async (tx) => {
    const { clock, random } = deps;
    const { quote } = chosen;
    const { grams } = quote;
    const at = clock.now();
    // The lock comes first, so that two sales of one customer count each other's grams.
    const available = availableGrams(await lockHolding(tx, userId));
    if (!(await consume(deps, tx, chosen))) return undefined;
    await lockUsableAccount(tx, userId, bankAccountId);
    requireAvailable(grams, available);
    const id = random.uuid();
    const [eventId, holderId] = [random.uuid(), random.uuid()];
    const placed = { ...quote, id, eventId, quoteId: quote.id, bankAccountId, requestId, at };
    const intent = { ...quote, id: random.uuid(), quoteId: quote.id, holderId, at };
    const order = await insertSellOrder(tx, placed, {
      before: [{ name: 'reserved', write: reserveGramsSql({ userId, grams, at }) }],
      after: [verifyIntentPart(intent)],
    });
    if (order === undefined) throw new AppError('INSUFFICIENT_BALANCE', { field: 'amount' });
    await key.bind(tx, id);
    return { order, quote, holderId, providerUserId };
  });

/**
 * Places a sale in one transaction, before the provider is called (contract: selling > Placing a
 * sale). It consumes the quote, checks the bank account, reserves the grams and writes the order.
 * Every reason for a refusal is checked before the transaction, in the order of refusals, and again
 * under its locks. Returns the PENDING order, with the lease of its verify.
 * @throws AppError in the order of refusals (contract: selling > Refusals of a sale)
 */
const placeSale = async (
  deps: SellingDeps,
  request: SaleRequest,
  key: SaleKey,
): Promise<HeldVerify> => {
  const first = await writeSale(deps, request, await prepare(deps, request, key.values), key);
  const writeWithNewQuote = async () => {
    const reads = readSaleBasis(request.userId, request.bankAccountId);
    const basis = await readTogether(deps.db, reads);
    return writeSale(deps, request, await prepare(deps, request, basis, false), key);
  };
  const placed = first ?? (await writeWithNewQuote());
  invariant(placed, 'a new quote is consumed by the sale that drafted it');
  await deps.portfolios.drop(request.userId);
  return placed;
};

/**
 * The longest time in ms for which a sale's key stays locked if its holder has died (contract:
 * selling > Placing a sale).
 */
const saleLockMs = 120_000;
/**
 * The time in ms that a second request with the key waits for the first (contract: conventions >
 * Idempotency).
 */
const saleWaitMs = 5000;

export interface Sale {
  readonly order: GoldOrder;
  readonly payout: Payout | undefined;
}

const verifyFailures: readonly VerifyErrorCode[] = [
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_REFUSED',
  'PROVIDER_MISMATCH',
];

/** Returns the error with which a failed sale is answered. Each repeat gets the same error. */
const failureOf = ({ failureCode }: GoldOrder): AppError => {
  const verifyFailure = verifyFailures.find((code) => code === failureCode);
  if (verifyFailure !== undefined) return new AppError(verifyFailure);
  const code = failureCode === 'NOT_SOLD' ? 'PROVIDER_REFUSED' : 'PROVIDER_UNAVAILABLE';
  return new AppError(code, {
    message: 'Your gold was not sold. It is still in your account.',
  });
};

const loadOrder = async ({ db }: SellingDeps, orderId: string): Promise<GoldOrder> => {
  const order = await findOrder(db, orderId);
  invariant(order, `sell order ${orderId} is there`);
  return order;
};

const withPayout = async ({ db }: SellingDeps, order: GoldOrder): Promise<Sale> => ({
  order,
  payout: await findPayoutOfOrder(db, order.id),
});

/** Returns the current state of the sale that a finished key created. */
export const replaySale = async (deps: SellingDeps, orderId: string): Promise<Sale> =>
  withPayout(deps, await loadOrder(deps, orderId));

/**
 * Verifies and confirms a sale, from its last committed step on.
 * @throws AppError the failure of the sale, or SELL_UNDER_REVIEW
 */
const finishSale = async (
  deps: SellingDeps,
  orderId: string,
  by: SaleInitiator,
  placed?: HeldVerify,
): Promise<Sale> => {
  let order = placed?.order ?? (await loadOrder(deps, orderId));
  let intended: HeldConfirm<VerifiedSale> | undefined;
  if (order.status === 'PENDING') {
    intended = await verifySale(deps, { order, by, placed });
    order = intended?.order ?? (await loadOrder(deps, orderId));
  }
  if (order.status === 'VERIFIED') {
    await confirmSale(deps, { orderId, by, intended });
    order = await loadOrder(deps, orderId);
  }
  if (order.status === 'FAILED') throw failureOf(order);
  if (order.status === 'VERIFIED') throw new AppError('SELL_UNDER_REVIEW');
  return withPayout(deps, order);
};

const lockKeyOf = ({ ownerId, key }: KeyScope): string =>
  `sell:${ownerId}:${createHash('sha256').update(key).digest('hex')}`;

/**
 * Runs requests with the same key one after the other. The lock only keeps a repeat from waiting at
 * the database while the first request runs. Nothing else depends on it.
 */
export const sellInTurn = async <T>(
  { redis }: Pick<SellingDeps, 'redis'>,
  scope: KeyScope,
  run: (options?: { readonly mayWait: boolean }) => Promise<T>,
): Promise<T> => {
  const lock = { redis, key: lockKeyOf(scope), ttlMs: saleLockMs, waitMs: saleWaitMs } as const;
  const result = await withLock({ ...lock, whenDown: 'run' }, () => run());
  // The lock was not free. Its holder is still at work, or has died. This request has already waited,
  // so it does not wait for the lease of the key too.
  return result ?? run({ mayWait: false });
};

/**
 * Sells gold, from the quote to the payout. Every step is committed before the next, so that a
 * repeat with the key continues where a process died.
 * @throws AppError the refusals of a sale in their order, PROVIDER_UNAVAILABLE, PROVIDER_REFUSED or
 *   PROVIDER_MISMATCH if the sale failed, and SELL_UNDER_REVIEW if its outcome is unknown
 */
export const sellNow = async (
  deps: SellingDeps,
  request: SaleRequest,
  key: SaleKey,
): Promise<Sale> => {
  const { resourceId } = key;
  const by = { actor: `customer:${request.userId}`, requestId: request.requestId };
  const placed = resourceId === undefined ? await placeSale(deps, request, key) : undefined;
  const orderId = resourceId ?? placed?.order.id;
  invariant(orderId, 'a sale has an order');
  const sale = await finishSale(deps, orderId, by, placed);
  await key.finish(deps.db);
  return sale;
};
