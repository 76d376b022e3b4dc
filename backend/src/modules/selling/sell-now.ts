import { createHash } from 'node:crypto';
import { parseDecimal, type Grams } from '../../money/index.ts';
import { readTogether, type Db, type ReadValues } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { HeldKey, KeyScope } from '../../platform/idempotency/index.ts';
import { withLock } from '../../platform/redis/index.ts';
import { lockUsableAccount, readAccountUse, requireUsableAccount } from '../banking/index.ts';
import { availableGrams, lockHolding, readHeldGold, reservingGrams } from '../holdings/index.ts';
import { findOrder, insertSellOrder, type GoldOrder, type VerifiedSale } from '../orders/index.ts';
import { verifiablePrice } from '../price/index.ts';
import { verifyIntent, type HeldConfirm } from '../provider-operations/index.ts';
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
  takeQuote,
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
  /** The caller named this quote. If it can't be used, the sale is refused. */
  | { readonly kind: 'named'; readonly quote: SellQuote }
  /** The newest stored quote that fits. If another sale has consumed it, a new quote is made. */
  | { readonly kind: 'found'; readonly quote: SellQuote }
  | { readonly kind: 'new'; readonly quote: SellQuote };

/**
 * Reads the data that the checks before a sale need. Data that may change is read again under the
 * locks.
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
  const isOfAmount =
    quote.unit === unit && parseDecimal(quote.requested, 8) === parseDecimal(requested, 8);
  if (isOfAmount) return quote;
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
  const found = mayFind ? await findUsableSellQuote(db, userId, amount, clock.now()) : undefined;
  if (found !== undefined) return { kind: 'found', quote: found };
  await takeQuote(deps, userId);
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

/** Chooses the quote and checks, in the order of refusals, everything that may refuse the sale. */
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

/** Consumes the quote. Returns false when it was only found, and another sale was quicker. */
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

/** Writes the sale in one transaction, where each refusal is definite. */
const write = (
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
    // First of all, so that two sales of one customer count each other.
    const available = availableGrams(await lockHolding(tx, userId));
    if (!(await consume(deps, tx, chosen))) return undefined;
    await lockUsableAccount(tx, userId, bankAccountId);
    requireAvailable(grams, available);
    const id = random.uuid();
    const [eventId, holderId] = [random.uuid(), random.uuid()];
    const placed = { ...quote, id, eventId, quoteId: quote.id, bankAccountId, requestId, at };
    const intent = { ...quote, id: random.uuid(), quoteId: quote.id, holderId, at };
    const order = await insertSellOrder(tx, placed, {
      before: [{ name: 'reserved', write: reservingGrams({ userId, grams, at }) }],
      after: [verifyIntent(intent)],
    });
    if (order === undefined) throw new AppError('INSUFFICIENT_BALANCE', { field: 'amount' });
    await key.bind(tx, id);
    return { order, quote, holderId, providerUserId };
  });

/**
 * Places a sale in one transaction, before the provider is called. It consumes the quote, checks
 * the bank account, reserves the grams and writes the order (contract: selling > Placing a sale).
 * Every reason for a refusal is checked before, in the order of refusals, and again under the
 * locks. Returns the PENDING order, with the lease of its verify.
 * @throws AppError in the order of refusals (contract: selling > Refusals of a sale)
 */
const placeSale = async (
  deps: SellingDeps,
  request: SaleRequest,
  key: SaleKey,
): Promise<HeldVerify> => {
  const first = await write(deps, request, await prepare(deps, request, key.values), key);
  const again = async () => {
    const reads = readSaleBasis(request.userId, request.bankAccountId);
    const fresh = await readTogether(deps.db, reads);
    return write(deps, request, await prepare(deps, request, fresh, false), key);
  };
  const placed = first ?? (await again());
  invariant(placed, 'a new quote is consumed by the sale that made it');
  await deps.portfolios.drop(request.userId);
  return placed;
};

/**
 * The time in ms for which a sale's key stays locked after its holder died (contract: selling >
 * Placing a sale).
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

/** Returns the error that a failed sale is answered with, the first time and at each repeat. */
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

/** Takes the steps that are left of a sale, from its last committed one. */
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
 * Lets sales of one key take turns. The lock keeps a repeat from waiting on the database while the
 * first request runs, and nothing depends on it.
 */
export const sellInTurn = async <T>(
  { redis }: Pick<SellingDeps, 'redis'>,
  scope: KeyScope,
  run: (options?: { readonly mayWait: boolean }) => Promise<T>,
): Promise<T> => {
  const lock = { redis, key: lockKeyOf(scope), ttlMs: saleLockMs, waitMs: saleWaitMs } as const;
  const sold = await withLock({ ...lock, whenDown: 'run' }, () => run());
  // The lock's holder is still working on the sale, or has died. This request has already waited,
  // so the shorter lease of the key decides.
  return sold ?? run({ mayWait: false });
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
