import {
  gramsForRupees,
  gramsText,
  ourPrices,
  rupeesText,
  sellOfGrams,
  unitsOf,
} from '../model/figures.ts';
import type { Customer, SellQuote, World } from '../model/world.ts';
import {
  allow,
  answerText,
  busy,
  hasFaults,
  numberOf,
  Refuted,
  same,
  textOf,
  type Arguments,
  type Command,
} from '../story.ts';
import { chooseCustomer, customerOf } from './customers.ts';

/** The provider's minimum for a sale, and the maximum of a transfer. */
const [providerMinimumPaise, maximumPaise] = [1000, 50_000_000];

const hasRoom = ({ accounts, blocked }: Customer): boolean => accounts.length < 3 && !blocked;

/** A customer adds a bank account. Its number decides the outcome of payouts to it. */
export const addAccount: Command = {
  name: 'add-account',
  choose(story, { pick, int }) {
    const c = chooseCustomer(story, pick, hasRoom);
    if (c === undefined) return undefined;
    const ending = pick(['9999', '9999', '9999', '9999', '4321', '7777', '0000', '8888']) ?? '9999';
    return { c, number: `${100_000 + int(900_000)}${c}${ending}` };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined) return undefined;
    const accountNumber = textOf(given, 'number');
    const body = { accountNumber, ifsc: 'HDFC0001234', holderName: 'Asha Rao' };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/bank-accounts', body),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        if (own === undefined) return;
        const cannotSignIn = own.deleted || own.blocked;
        const again = own.accounts.some(({ number }) => number === accountNumber);
        allow('bank account', answer, [
          cannotSignIn ? '401 UNAUTHENTICATED' : again ? '409 BANK_ACCOUNT_DUPLICATE' : '201',
          '429 VALIDATION_LIMIT',
          ...(own.accounts.length >= 5 ? ['409 BANK_ACCOUNT_LIMIT'] : []),
          ...busy,
        ]);
        if (answer.status !== 201) return;
        own.accounts.push({ id: answer.body.id, number: accountNumber, status: 'PENDING' });
      },
    };
  },
};

export interface PossibleSale {
  readonly grams: number;
  readonly proceedsPaise: number;
}

/** Returns the possible results of a sale, one for each price that the service may still use. */
export const possibleSalesAt = (world: World, unit: string, amount: number): PossibleSale[] =>
  world.prices.map((price) => {
    const { sell } = ourPrices(price, world);
    const grams = unit === 'INR' ? gramsForRupees(amount, sell) : amount;
    return { grams, proceedsPaise: sellOfGrams(grams, sell) };
  });

/** Returns the quote that a sale names, or the newest quote that fits if the sale names none. */
const quoteFor = (world: World, given: Arguments): SellQuote | undefined => {
  const q = numberOf(given, 'q') - 1;
  if (q >= 0) return world.sellQuotes[q];
  return world.sellQuotes.findLast(
    ({ customer, unit, amount, ends, isUsed }) =>
      customer === numberOf(given, 'c') &&
      unit === textOf(given, 'unit') &&
      amount === numberOf(given, 'amount') &&
      world.now < ends &&
      !isUsed,
  );
};

const possibleSalesOf = (world: World, given: Arguments): PossibleSale[] => {
  const quote = quoteFor(world, given);
  if (quote !== undefined) return [quote];
  return possibleSalesAt(world, textOf(given, 'unit'), numberOf(given, 'amount'));
};

/** Returns the refusals of a named quote, those before and those after the check of the limits. */
const quoteRefusals = (world: World, given: Arguments) => {
  const named = world.sellQuotes[numberOf(given, 'q') - 1];
  if (named === undefined) return { early: undefined, late: undefined };
  const late = named.isUsed
    ? '409 QUOTE_USED'
    : world.now >= named.ends
      ? '409 QUOTE_EXPIRED'
      : undefined;
  return { early: named.customer === numberOf(given, 'c') ? undefined : '404 NOT_FOUND', late };
};

const refusalsOf = (world: World, given: Arguments, possibleSale: PossibleSale): string[] => {
  const own = customerOf(world, given);
  const { limits } = world;
  if (own === undefined || own.deleted || own.blocked) return ['401 UNAUTHENTICATED'];
  if (!world.gates.sell) return ['503 SELL_DISABLED'];
  if (own.kyc !== 'APPROVED') return ['403 KYC_REQUIRED'];
  const { early, late } = quoteRefusals(world, given);
  if (early !== undefined) return [early];
  const { grams, proceedsPaise } = possibleSale;
  const wantedPaise = textOf(given, 'unit') === 'INR' ? numberOf(given, 'amount') : proceedsPaise;
  const available = own.balance - own.reserved;
  const isAll = grams === available && grams > 0;
  if (grams === 0 || proceedsPaise < providerMinimumPaise) {
    return ['400 AMOUNT_TOO_SMALL', '400 LIMIT_EXCEEDED'];
  }
  if (wantedPaise > Math.min(limits.maxSellPaise, maximumPaise)) return ['400 LIMIT_EXCEEDED'];
  if (wantedPaise < limits.minSellPaise && !isAll) return ['400 LIMIT_EXCEEDED'];
  // The purge deletes an unused quote.
  if (late !== undefined) return [late, '404 NOT_FOUND'];
  const account = own.accounts[numberOf(given, 'a')];
  if (account === undefined) return ['404 NOT_FOUND'];
  if (account.status !== 'VERIFIED') return ['400 BANK_ACCOUNT_NOT_VERIFIED'];
  if (grams > available) return ['400 INSUFFICIENT_BALANCE'];
  const mayBeReserved = world.unanswered
    .filter(({ customer }) => customer === numberOf(given, 'c'))
    .reduce((sum, one) => sum + one.grams, 0);
  return grams > available - mayBeReserved ? ['201', '400 INSUFFICIENT_BALANCE'] : [];
};

const troubles = [
  '503 SELL_UNDER_REVIEW',
  '502 PROVIDER_UNAVAILABLE',
  '502 PROVIDER_REFUSED',
  '502 PROVIDER_MISMATCH',
  '502 PRICE_UNAVAILABLE',
];

/**
 * The refusals if the price changed within the last ten seconds, since the provider may refuse a
 * sale at the older price.
 */
const movedTroubles = ['502 PROVIDER_MISMATCH', '502 PROVIDER_REFUSED'];

/** Answers after which the order of a sale was written and its quote is used. */
const usesUp = new Set([
  '201',
  '503 SELL_UNDER_REVIEW',
  '502 PROVIDER_UNAVAILABLE',
  '502 PROVIDER_REFUSED',
  '502 PROVIDER_MISMATCH',
]);

/**
 * Returns the arguments of a sale for an earlier quote, by the quote's id or only by its amount.
 */
const quoteToSell = (
  world: World,
  c: number,
  int: (below: number) => number,
  percent: (chance: number) => boolean,
) => {
  const q = world.sellQuotes.length - 1 - int(3);
  const quote = world.sellQuotes[q];
  if (quote === undefined || percent(50)) return undefined;
  if (quote.customer !== c && percent(90)) return undefined;
  return { unit: quote.unit, amount: quote.amount, ...(percent(70) && { q: q + 1 }) };
};

export const sell: Command = {
  name: 'sell',
  choose(story, { pick, int, percent }) {
    const isFit = ({ balance, accounts }: Customer) =>
      (balance > 0 && accounts.some(({ status }) => status === 'VERIFIED')) || percent(5);
    const c = chooseCustomer(story, pick, isFit);
    const customer = story.world.customers[c ?? -1];
    if (c === undefined || customer === undefined) return undefined;
    const available = Math.max(0, customer.balance - customer.reserved);
    const verified = customer.accounts.findIndex(({ status }) => status === 'VERIFIED');
    const unproven = customer.accounts.findIndex(({ status }) => status === 'PENDING');
    const usual = percent(90) ? Math.max(0, verified) : int(4);
    const a = unproven >= 0 && percent(30) ? unproven : usual;
    const quoted = quoteToSell(story.world, c, int, percent);
    if (quoted !== undefined) return { c, a, k: story.nextKey, ...quoted };
    if (percent(25)) {
      return { c, a, k: story.nextKey, unit: 'INR', amount: 900 + int(400_000) };
    }
    const grams = [available, available + 1, 1 + int(Math.max(1, available)), 1 + int(30_000)];
    return { c, a, k: story.nextKey, unit: 'GRAMS', amount: Math.max(1, pick(grams) ?? 1) };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined) return undefined;
    const key = `story-key-${numberOf(given, 'k')}`;
    if (world.sales.some((known) => known.key === key)) return undefined;
    const isRupees = textOf(given, 'unit') === 'INR';
    const amount = numberOf(given, 'amount');
    const quoteId = world.sellQuotes[numberOf(given, 'q') - 1]?.id;
    const accountId =
      customer.accounts[numberOf(given, 'a')]?.id ?? '00000000-0000-4000-8000-000000000000';
    const body = {
      unit: isRupees ? 'INR' : 'GRAMS',
      amount: isRupees ? rupeesText(amount) : gramsText(amount),
      bank_account_id: accountId,
      idempotency_key: key,
      ...(quoteId !== undefined && { quote_id: quoteId }),
    };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/gold/sell', body),
      judge(changed, answer) {
        const known = changed.sales.find((one) => one.key === key);
        if (known !== undefined) {
          allow('a sale at the same moment', answer, ['200', ...troubles, ...busy]);
          if (answer.status === 200)
            same('order of a repeated sale', answer.body.order.id, known.id);
          return;
        }
        const possibleSales = possibleSalesOf(changed, given);
        const expected = possibleSales.flatMap((possibleSale) => {
          const refusals = refusalsOf(changed, given, possibleSale);
          return refusals.length > 0 ? refusals : ['201'];
        });
        const quote = quoteFor(changed, given);
        const isMoving = changed.prices.length > 1 || quote !== undefined;
        const moved = isMoving ? movedTroubles : [];
        const more = hasFaults(changed) ? ['201', ...troubles] : [];
        const late = ['429 QUOTE_LIMIT', ...busy];
        allow('sale', answer, [...new Set([...expected, ...moved, ...more, ...late])]);
        if (quote !== undefined && usesUp.has(answerText(answer))) quote.isUsed = true;
        // Another sale at the same time may have been refused because of this sale's reservation.
        if (answer.status >= 500) {
          const most = Math.max(...possibleSales.map((one) => one.grams));
          changed.unanswered.push({ customer: numberOf(given, 'c'), amountPaise: 0, grams: most });
        }
        if (answer.status !== 201) return;
        const { order, payout } = answer.body;
        const grams = unitsOf(order.grams);
        const { proceeds_paise: proceedsPaise } = order;
        const isFit = (one: PossibleSale) =>
          one.grams === grams && one.proceedsPaise === proceedsPaise;
        if (!possibleSales.some(isFit)) {
          throw new Refuted(
            'proceeds of a sale',
            `${grams} units for ${proceedsPaise}, not ${JSON.stringify(possibleSales)}`,
          );
        }
        if (payout !== null) same('payout of a sale', payout.amountPaise, proceedsPaise);
        const own = customerOf(changed, given);
        if (own !== undefined) own.balance -= grams;
        changed.sales.push({
          id: order.id,
          customer: numberOf(given, 'c'),
          key,
          body,
          grams,
          proceedsPaise,
          placedAt: changed.now,
          payoutId: payout?.id,
        });
      },
    };
  },
};

/** A customer sends the same key again. */
export const repeatSale: Command = {
  name: 'repeat-sale',
  choose: ({ world }, { int, percent }) =>
    world.sales.length === 0 ? undefined : { s: int(world.sales.length), other: percent(30) },
  prepare({ sessions, world }, given) {
    const known = world.sales[numberOf(given, 's')];
    const customer = world.customers[known?.customer ?? -1];
    if (known === undefined || known.key === '' || customer === undefined) return undefined;
    const other = given['other'] === true;
    const body = other ? { ...known.body, amount: '0.7777', unit: 'GRAMS' } : known.body;
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/gold/sell', body),
      judge(changed, answer) {
        const own = changed.customers[known.customer];
        const cannotSignIn = own === undefined || own.deleted || own.blocked;
        if (changed.now - known.placedAt > 89 * 86_400_000) return;
        const fits = other
          ? ['409 IDEMPOTENCY_KEY_REUSED', ...(changed.gates.sell ? [] : ['503 SELL_DISABLED'])]
          : ['200', '503 SELL_UNDER_REVIEW'];
        allow('repeated sale', answer, cannotSignIn ? ['401 UNAUTHENTICATED'] : [...fits, ...busy]);
        if (answerText(answer) === '200')
          same('order of a repeated sale', answer.body.order.id, known.id);
      },
    };
  },
};
