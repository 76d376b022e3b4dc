import {
  fieldsOf,
  okAnswer,
  textOf,
  type Answer,
  type Call,
  type Operation,
} from '../../core/collaborator.ts';
import { agrees, rateWithTax, withoutTax } from './arithmetic.ts';
import { isSparseCustomer } from '../../core/left-out.ts';
import { overstateDecimal } from '../../core/wrong-amount.ts';
import type { SafegoldStore, SafegoldUser, Side, Transaction } from './safegold-store.ts';
import type { Clock } from '../../../../platform/clock/clock.ts';
import { gramsNumber, readGrams, readRupees, refusal, rupees } from './safegold.wire.ts';

interface VerifyDeps {
  readonly store: SafegoldStore;
  readonly clock: Clock;
  /** True when buy-verify enforces the 30 g and 50 g thresholds (page kyc-information-1). */
  readonly enforcesKycLimits: boolean;
}

const minimumSellPaise = 1000n;
const identityFromWeight = 300_000n;
const panFromWeight = 500_000n;

/** The codes of refusals. Each endpoint has its own (pages buy-verify-api, sell-verify-api). */
const codes = {
  buy: { missing: 1, rateMismatch: 2, noUser: 3, amounts: 4, invalidRate: 8 },
  sell: { missing: 1, rateMismatch: 2, noUser: 3, amounts: 5, invalidRate: 6 },
} as const;
const sellBalanceCode = 4;
const kycLimitCode = 6;
const panLimitCode = 7;

const boughtView = (transaction: Transaction, user: SafegoldUser) => ({
  tx_id: transaction.id,
  rate_id: transaction.rateId,
  sg_rate: rupees(transaction.ratePaise),
  partner_rate: rupees(transaction.ratePaise),
  gold_amount: gramsNumber(transaction.weight),
  buy_price: rupees(transaction.amountPaise),
  pre_gst_buy_price: rupees(withoutTax(transaction.amountPaise)),
  gst_amount: rupees(transaction.amountPaise - withoutTax(transaction.amountPaise)),
  user_id: user.id,
});

const soldView = (transaction: Transaction) => ({
  tx_id: transaction.id,
  rate: rupees(transaction.ratePaise),
  rate_id: transaction.rateId,
  gold_amount: gramsNumber(transaction.weight),
  sell_price: rupees(transaction.amountPaise),
});

const refuseBuy = (
  { store, enforcesKycLimits }: VerifyDeps,
  user: SafegoldUser,
  weight: bigint,
): Answer | undefined => {
  if (!enforcesKycLimits) return undefined;
  const balance = store.balanceOf(user.id) + weight;
  if (balance > panFromWeight && !user.hasPan) {
    return refusal(panLimitCode, 'Gold balance above the PAN limit');
  }
  if (balance > identityFromWeight && !user.hasIdentity) {
    return refusal(kycLimitCode, 'Gold balance above the KYC limit');
  }
  return undefined;
};

const refuseSale = (
  { store }: VerifyDeps,
  user: SafegoldUser,
  weight: bigint,
  amount: bigint,
): Answer | undefined => {
  if (store.balanceOf(user.id) < weight) {
    return refusal(sellBalanceCode, 'Insufficient gold balance');
  }
  if (amount < minimumSellPaise) {
    return refusal(codes.sell.amounts, 'The minimum sell amount is INR 10');
  }
  return undefined;
};

const verify = (deps: VerifyDeps, side: Side, { params, body }: Call): Answer => {
  const { store, clock } = deps;
  const code = codes[side];
  const fields = fieldsOf(body);
  const rateId = textOf(fields['rate_id']);
  const weight = readGrams(fields['gold_amount']);
  const amount = readRupees(fields[side === 'buy' ? 'buy_price' : 'sell_price']);
  if (rateId === undefined || weight === undefined || amount === undefined) {
    return refusal(code.missing, 'Missing required information');
  }
  const user = store.user(params['userId']);
  if (user === undefined) return refusal(code.noUser, 'User does not exist');
  const rate = store.rate(rateId);
  if (rate === undefined) return refusal(code.invalidRate, 'Invalid rate');
  if (rate.side !== side) return refusal(code.rateMismatch, 'Rate mismatch');
  if (clock.now().getTime() > rate.expiresAtMs) return refusal(code.invalidRate, 'Invalid rate');
  const price = side === 'buy' ? rateWithTax(rate.paise) : rate.paise;
  if (!agrees(weight, amount, price)) return refusal(code.amounts, 'Gold amount does not match');
  const refused =
    side === 'buy' ? refuseBuy(deps, user, weight) : refuseSale(deps, user, weight, amount);
  if (refused !== undefined) return refused;
  const transaction = store.addTransaction({
    side,
    userId: user.id,
    rateId: rate.id,
    ratePaise: rate.paise,
    weight,
    amountPaise: amount,
    verifiedAtMs: clock.now().getTime(),
    status: 0,
    invoiceId: null,
  });
  return okAnswer(side === 'buy' ? boughtView(transaction, user) : soldView(transaction));
};

/** Serves buy-gold-verify and sell-gold-verify, which make a transaction for a confirm. */
export const verifyOperations = (deps: VerifyDeps): readonly Operation[] => {
  const misstate = overstateDecimal('gold_amount', 4);
  return (['buy', 'sell'] as const).map((side) => ({
    name: `${side}-verify`,
    method: 'POST',
    path: `/v4/users/:userId/${side}-gold-verify`,
    shape: { spare: ['rate_id', 'user_id', 'buy_price', 'sell_price'], needed: ['gold_amount'] },
    isSparse: ({ params }: Call) => isSparseCustomer(deps.store.user(params['userId'])?.mobileNo),
    handle: (call) => verify(deps, side, call),
    misstate,
  }));
};
