import { AMOUNT_MISMATCH, GRAMS_MISMATCH, RATE_LAPSED } from '../../adapters/gold-provider/port.ts';
import type { VerifiedTransaction } from '../../adapters/gold-provider/port.ts';
import { toleranceOn, type Bps, type Paise } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import {
  heldElsewhere,
  makeCall,
  type CallProtocol,
  type CallResult,
  type Claim,
} from '../../platform/collaborator-call/index.ts';
import { readAlone } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  describeOutcome,
  mapDone,
  refused,
  unknown,
  type Outcome,
} from '../../platform/outcome/outcome.ts';
import { releaseSale } from '../holdings/index.ts';
import { readProviderUserId } from '../identity/index.ts';
import { type GoldOrder, type VerifiedSale, lockOrder, transitionSale } from '../orders/index.ts';
import {
  acquireVerify,
  recordVerifyOutcome,
  renewVerify,
  type HeldConfirm,
} from '../provider-operations/index.ts';
import { type SellQuote, findSellQuote, verifyErrorCode } from '../quotes/index.ts';
import { recordConfirmIntent } from './confirm-sale.ts';
import type { SaleInitiator, SellingDeps } from './selling.types.ts';

/** A placed sale, with the lease of its verify. */
export interface HeldVerify {
  readonly order: GoldOrder;
  readonly quote: SellQuote;
  readonly holderId: string;
  /** The provider's id of the customer, or null if the customer is not registered there. */
  readonly providerUserId: string | null;
}

interface SaleToVerify {
  readonly order: GoldOrder;
  readonly by: SaleInitiator;
  /** The sale and the lease of its verify. Present if this request has just placed the sale. */
  readonly placed?: HeldVerify | undefined;
}

/** One turn at the verify of a sale. */
interface SaleVerify extends HeldVerify {
  readonly by: SaleInitiator;
}

interface Rate {
  readonly rateId: string;
  readonly rateSellPaise: SellQuote['providerPricePaise'];
}

/** The result of the provider's verify, and the rate that it used. */
interface SaleTerms extends VerifiedTransaction {
  readonly providerRateId: string;
  /** The time just before the call. */
  readonly lockStartedAt: Date;
}

/**
 * Returns true if the provider pays at least the customer's proceeds, within the tolerance (contract:
 * money > Provider's price). It is checked after each verify, before the confirm.
 */
const isCoveredByProvider = (
  proceedsPaise: Paise,
  providerAmountPaise: Paise,
  toleranceBps: Bps,
): boolean => proceedsPaise - providerAmountPaise <= toleranceOn(providerAmountPaise, toleranceBps);

/** Turns an answer for different grams or too few rupees into a refusal. */
const refuseMismatch = (
  order: GoldOrder,
  outcome: Outcome<VerifiedTransaction>,
  toleranceBps: SellingDeps['priceToleranceBps'],
): Outcome<VerifiedTransaction> => {
  if (outcome.kind !== 'done') return outcome;
  const { grams, providerAmountPaise } = outcome.value;
  if (grams !== order.grams) return refused(GRAMS_MISMATCH, 'other grams than requested');
  invariant(order.proceedsPaise, `sell order ${order.id} has its proceeds`);
  if (isCoveredByProvider(order.proceedsPaise, providerAmountPaise, toleranceBps)) return outcome;
  return refused(AMOUNT_MISMATCH, 'the provider pays less than the customer is promised');
};

const verifyAtRate = async (
  { clock, provider, priceToleranceBps }: SellingDeps,
  { order, providerUserId }: SaleVerify,
  rate: Rate,
): Promise<Outcome<SaleTerms>> => {
  const lockStartedAt = clock.now();
  const { id: reference, grams } = order;
  if (providerUserId === null || grams === null) {
    return refused('NO_PROVIDER_USER', 'not known there');
  }
  const outcome = await provider.verifySell({ providerUserId, reference, grams, ...rate });
  const terms = { providerRateId: rate.rateId, lockStartedAt };
  const checked = refuseMismatch(order, outcome, priceToleranceBps);
  return mapDone(checked, (transaction) => ({ ...transaction, ...terms }));
};

/**
 * Verifies a sale at the quote's rate. If that rate has expired, verifies once more at a fresh rate.
 */
const sendVerify = async (deps: SellingDeps, sale: SaleVerify): Promise<Outcome<SaleTerms>> => {
  const { order, quote, holderId } = sale;
  const { providerRateId: rateId, providerPricePaise: rateSellPaise } = quote;
  const first = await verifyAtRate(deps, sale, { rateId, rateSellPaise });
  const hasLapsed = first.kind === 'refused' && first.code === RATE_LAPSED;
  if (!hasLapsed) return first;
  if (!(await renewVerify(deps.db, order.id, holderId))) return first;
  try {
    const live = await deps.price.freshPrice();
    const rate = { rateId: live.sellRateId, rateSellPaise: live.providerSellPaise };
    return await verifyAtRate(deps, sale, rate);
  } catch (error) {
    if (!isAppError(error, 'PRICE_UNAVAILABLE')) throw error;
    return unknown('no rate to verify with');
  }
};

/** Acquires the verify of a sale that an earlier process has placed. */
const acquireSaleVerify = async (
  { db, clock, random }: SellingDeps,
  { order, by }: SaleToVerify,
): Promise<Claim<SaleVerify>> => {
  const holderId = random.uuid();
  if (!(await acquireVerify(db, order.id, { holderId, at: clock.now() }))) return heldElsewhere;
  const quote = await findSellQuote(db, order.quoteId ?? '', order.userId);
  invariant(quote, `sell order ${order.id} has a quote`);
  const providerUserId = await readAlone(db, readProviderUserId(order.userId));
  const call = { order, by, quote, holderId, providerUserId };
  return { kind: 'SEND', call, wasSent: false };
};

/**
 * Records the outcome of a verify. The sale becomes VERIFIED, with the intent of its confirm, or
 * FAILED, with its grams available again.
 * @throws AppError REQUEST_IN_PROGRESS if another process has acquired the verify or ended the sale
 */
const recordVerify = (
  deps: SellingDeps,
  { order: { id }, holderId, providerUserId, by }: SaleVerify,
  { answer }: CallResult<SaleTerms>,
): Promise<HeldConfirm<VerifiedSale> | undefined> =>
  deps.inTransaction(async (tx) => {
    invariant(answer, 'a verify is always sent');
    const order = await lockOrder(tx, id);
    const at = deps.clock.now();
    const isRecorded = await recordVerifyOutcome(tx, id, holderId, {
      status: answer.kind === 'done' ? 'DONE' : 'REFUSED',
      providerTxId: answer.kind === 'done' ? answer.value.providerTxId : null,
      reason: describeOutcome(answer),
      at,
    });
    // Another process has acquired the verify or ended the sale, so this outcome does not count.
    if (!isRecorded || order?.status !== 'PENDING') throw new AppError('REQUEST_IN_PROGRESS');
    const sale = { id, status: order.status };
    if (answer.kind === 'done') {
      const { providerTxId, providerAmountPaise, providerRateId, lockStartedAt } = answer.value;
      const lockEndsAt = addMs(lockStartedAt, deps.provider.rules.lockMs);
      const lock = { lockStartedAt, lockEndsAt };
      const changes = { providerTxId, providerAmountPaise, providerRateId, ...lock };
      const step = { ...by, to: 'VERIFIED', cause: 'provider.verified', changes } as const;
      await transitionSale(deps, tx, sale, step);
      const verified = { ...order, ...changes, status: step.to };
      return recordConfirmIntent(deps, tx, verified, providerUserId);
    }
    await transitionSale(deps, tx, sale, {
      ...by,
      to: 'FAILED',
      cause: 'provider.not-verified',
      detail: { reason: describeOutcome(answer) },
      changes: { failureCode: verifyErrorCode(answer) },
    });
    const { userId, grams, createdAt: placedAt } = order;
    if (grams !== null) await releaseSale(tx, { userId, grams, at, placedAt });
    return undefined;
  });

/**
 * Declares the call that verifies a placed sale (contract: states > Gold order, sell). A verify alone
 * has no effect at the provider, so a repeat needs no query. The sale fails if its verify is refused,
 * gets no response, or is for different grams or too little money.
 */
const createVerifyCall = (
  deps: SellingDeps,
): CallProtocol<SaleToVerify, SaleVerify, SaleTerms, HeldConfirm<VerifiedSale> | undefined> => ({
  flow: 'sale_verify',
  fieldsOf: ({ order: { id: orderId } }) => ({ orderId }),
  claim: async (sale) =>
    sale.placed === undefined
      ? acquireSaleVerify(deps, sale)
      : { kind: 'SEND', call: { ...sale.placed, by: sale.by }, wasSent: false },
  hasArrived: () => true,
  decide: () => 'SEND',
  send: (sale) => sendVerify(deps, sale),
  async record(sale, result) {
    const intended = await recordVerify(deps, sale, result);
    if (result.kind !== 'DONE') await deps.portfolios.drop(sale.order.userId);
    return intended;
  },
});

/**
 * Verifies a placed sale, which becomes VERIFIED or FAILED. Returns the intent of its confirm if it
 * is VERIFIED. Any process may repeat it, and it may be killed at any point.
 * @throws AppError REQUEST_IN_PROGRESS if another process has acquired the sale
 */
export const verifySale = async (
  deps: SellingDeps,
  sale: SaleToVerify,
): Promise<HeldConfirm<VerifiedSale> | undefined> => {
  const result = await makeCall(deps, createVerifyCall(deps), sale);
  if (result.kind !== 'SKIP') return result.recorded;
  throw new AppError('REQUEST_IN_PROGRESS', { retryAfterSeconds: 1 });
};
