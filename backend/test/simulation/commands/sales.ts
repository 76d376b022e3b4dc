import {
  gramsForRupees,
  gramsText,
  ourPrices,
  rupeesText,
  sellOfGrams,
  unitsOf,
} from '../model/figures.ts';
import type { Customer, Sale, World } from '../model/world.ts';
import {
  allow,
  answerText,
  busy,
  isTroubled,
  numberOf,
  Refuted,
  same,
  textOf,
  type Arguments,
  type Command,
} from '../story.ts';
import { chooseCustomer, customerOf } from './customers.ts';
import { nothing } from './payments.ts';

/** The provider buys nothing for less, and a transfer is no larger. */
const [providerMinimumPaise, mostPaise] = [1000, 50_000_000];

const hasRoom = ({ accounts, blocked }: Customer): boolean => accounts.length < 3 && !blocked;

/** A customer names a bank account. Its number decides what becomes of what is sent there. */
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
        const isOut = own.deleted || own.blocked;
        const again = own.accounts.some(({ number }) => number === accountNumber);
        allow('bank account', answer, [
          isOut ? '401 UNAUTHENTICATED' : again ? '409 BANK_ACCOUNT_DUPLICATE' : '201',
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

interface Outlook {
  readonly grams: number;
  readonly proceedsPaise: number;
}

const outlooksOf = (world: World, given: Arguments): Outlook[] =>
  world.prices.map((price) => {
    const { sell } = ourPrices(price, world);
    const amount = numberOf(given, 'amount');
    const grams = textOf(given, 'unit') === 'INR' ? gramsForRupees(amount, sell) : amount;
    return { grams, proceedsPaise: sellOfGrams(grams, sell) };
  });

const refusalsOf = (world: World, given: Arguments, outlook: Outlook): string[] => {
  const own = customerOf(world, given);
  const { limits } = world;
  if (own === undefined || own.deleted || own.blocked) return ['401 UNAUTHENTICATED'];
  if (!world.gates.sell) return ['503 SELL_DISABLED'];
  if (own.kyc !== 'APPROVED') return ['403 KYC_REQUIRED'];
  const { grams, proceedsPaise } = outlook;
  const asked = textOf(given, 'unit') === 'INR' ? numberOf(given, 'amount') : proceedsPaise;
  const available = own.balance - own.reserved;
  const isAll = grams === available && grams > 0;
  if (grams === 0 || proceedsPaise < providerMinimumPaise) {
    return ['400 AMOUNT_TOO_SMALL', '400 LIMIT_EXCEEDED'];
  }
  if (asked > Math.min(limits.maxSellPaise, mostPaise)) return ['400 LIMIT_EXCEEDED'];
  if (asked < limits.minSellPaise && !isAll) return ['400 LIMIT_EXCEEDED'];
  const account = own.accounts[numberOf(given, 'a')];
  if (account === undefined) return ['404 NOT_FOUND'];
  if (account.status !== 'VERIFIED') return ['400 BANK_ACCOUNT_NOT_VERIFIED'];
  if (grams > available) return ['400 INSUFFICIENT_BALANCE'];
  return [];
};

const troubles = [
  '503 SELL_UNDER_REVIEW',
  '502 PROVIDER_UNAVAILABLE',
  '502 PROVIDER_REFUSED',
  '502 PROVIDER_MISMATCH',
  '502 PRICE_UNAVAILABLE',
];

/** The price moved within the last ten seconds: the provider may refuse a sale at the older one. */
const movedTroubles = ['502 PROVIDER_MISMATCH', '502 PROVIDER_REFUSED'];

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
    const a = percent(90) ? Math.max(0, verified) : int(4);
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
    const accountId =
      customer.accounts[numberOf(given, 'a')]?.id ?? '00000000-0000-4000-8000-000000000000';
    const body = {
      unit: isRupees ? 'INR' : 'GRAMS',
      amount: isRupees ? rupeesText(amount) : gramsText(amount),
      bank_account_id: accountId,
      idempotency_key: key,
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
        const outlooks = outlooksOf(changed, given);
        const certain = outlooks.flatMap((outlook) => {
          const refusals = refusalsOf(changed, given, outlook);
          return refusals.length > 0 ? refusals : ['201'];
        });
        const moved = changed.prices.length > 1 ? movedTroubles : [];
        const more = isTroubled(changed) ? ['201', ...troubles] : [];
        const late = ['429 QUOTE_LIMIT', ...busy];
        allow('sale', answer, [...new Set([...certain, ...moved, ...more, ...late])]);
        if (answer.status !== 201) return;
        const { order, payout } = answer.body;
        const grams = unitsOf(order.grams);
        const { proceeds_paise: proceedsPaise } = order;
        const isFit = (one: Outlook) => one.grams === grams && one.proceedsPaise === proceedsPaise;
        if (!outlooks.some(isFit)) {
          throw new Refuted(
            'proceeds of a sale',
            `${grams} units for ${proceedsPaise}, not ${JSON.stringify(outlooks)}`,
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

/** The same key again. */
export const repeatSale: Command = {
  name: 'repeat-sale',
  choose: ({ world }, { int, percent }) =>
    world.sales.length === 0 ? undefined : { s: int(world.sales.length), other: percent(30) },
  prepare({ sessions, world }, given) {
    const known = world.sales[numberOf(given, 's')];
    const customer = world.customers[known?.customer ?? -1];
    if (known === undefined || customer === undefined) return undefined;
    const other = given['other'] === true;
    const body = other ? { ...known.body, amount: '0.7777', unit: 'GRAMS' } : known.body;
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/gold/sell', body),
      judge(changed, answer) {
        const own = changed.customers[known.customer];
        const isOut = own === undefined || own.deleted || own.blocked;
        if (changed.now - known.placedAt > 89 * 86_400_000) return;
        const fits = other
          ? ['409 IDEMPOTENCY_KEY_REUSED', ...(changed.gates.sell ? [] : ['503 SELL_DISABLED'])]
          : ['200', '503 SELL_UNDER_REVIEW'];
        allow('repeated sale', answer, isOut ? ['401 UNAUTHENTICATED'] : [...fits, ...busy]);
        if (answerText(answer) === '200')
          same('order of a repeated sale', answer.body.order.id, known.id);
      },
    };
  },
};

const chooseSale = (
  world: World,
  int: (below: number) => number,
  isFit: (sale: Sale) => boolean,
): number | undefined => {
  const fitting = world.sales.flatMap((sale, index) => (isFit(sale) ? [index] : []));
  const newest = fitting.slice(-8);
  return newest.length === 0 ? undefined : newest[int(newest.length)];
};

/** The payout provider ends a transfer. It may take one back that it had paid. */
export const endPayout: Command = {
  name: 'end-payout',
  choose({ world, seen }, { int, pick }) {
    const s = chooseSale(world, int, ({ payoutId }) => {
      const payout = seen.payouts.get(payoutId ?? '');
      return payout?.status === 'PROCESSING' || (payout?.status === 'PAID' && int(8) === 0);
    });
    const outcome =
      pick(['processed', 'processed', 'processed', 'failed', 'rejected', 'reversed']) ??
      'processed';
    return s === undefined ? undefined : { s, outcome };
  },
  prepare({ system, world }, given) {
    const sale = world.sales[numberOf(given, 's')];
    if (sale?.payoutId === undefined) return undefined;
    const outcome = textOf(given, 'outcome');
    const reference = `${sale.payoutId.replaceAll('-', '')}-`;
    return {
      async call() {
        const { body: known } = await system.control('GET', '/payouts');
        const newest: { readonly status: string } | undefined = known.items.find(
          ({ referenceId }: { referenceId: string | null }) => referenceId?.startsWith(reference),
        );
        // A provider does not contradict itself here. It takes back what it paid.
        const isOpen = newest?.status === 'processing';
        if (!isOpen && !(newest?.status === 'processed' && outcome === 'reversed')) return nothing;
        const body = { outcome, deliver: 'webhook' };
        return system.tryControl('POST', `/payouts/${sale.payoutId}`, body);
      },
      judge: () => {},
    };
  },
};

const capPaise = 10_000_000;

/** An operator approves a payout. */
export const approvePayout: Command = {
  name: 'approve-payout',
  choose({ world, seen }, { int, pick }) {
    const s = chooseSale(world, int, ({ payoutId }) => {
      const payout = seen.payouts.get(payoutId ?? '');
      return payout?.status === 'PENDING' || (payout !== undefined && int(10) === 0);
    });
    return s === undefined ? undefined : { s, role: pick(['ADMIN', 'SUPER_ADMIN']) ?? 'ADMIN' };
  },
  prepare({ sessions, world, seen }, given) {
    const sale = world.sales[numberOf(given, 's')];
    const payout = seen.payouts.get(sale?.payoutId ?? '');
    if (payout === undefined) return undefined;
    const role = textOf(given, 'role') === 'ADMIN' ? 'ADMIN' : 'SUPER_ADMIN';
    return {
      call: () => sessions.operator(role, 'POST', `/v1/payouts/${payout.id}/approve`, {}),
      judge(_changed, answer) {
        if (role === 'ADMIN' && payout.amount > capPaise) {
          allow('approval beyond the cap', answer, [
            '403 PAYOUT_CAP_EXCEEDED',
            '409 ILLEGAL_TRANSITION',
          ]);
          return;
        }
        const fits = payout.status === 'PENDING' ? ['200'] : [];
        allow('approval', answer, [...fits, '409 ILLEGAL_TRANSITION', ...busy]);
      },
    };
  },
};

/** An operator retries a payout, to the same account or to another. */
export const retryPayout: Command = {
  name: 'retry-payout',
  choose({ world, seen }, { int, pick, percent }) {
    const s = chooseSale(world, int, ({ payoutId }) => {
      const status = seen.payouts.get(payoutId ?? '')?.status ?? '';
      return ['FAILED', 'REVERSED'].includes(status) || (status !== '' && int(12) === 0);
    });
    if (s === undefined) return undefined;
    return { s, role: pick(['ADMIN', 'SUPER_ADMIN']) ?? 'ADMIN', a: percent(60) ? -1 : int(3) };
  },
  prepare({ sessions, world, seen }, given) {
    const sale = world.sales[numberOf(given, 's')];
    const payout = seen.payouts.get(sale?.payoutId ?? '');
    if (sale === undefined || payout === undefined) return undefined;
    const role = textOf(given, 'role') === 'ADMIN' ? 'ADMIN' : 'SUPER_ADMIN';
    const account = world.customers[sale.customer]?.accounts[numberOf(given, 'a')];
    const body = {
      note: 'as the story says',
      ...(account !== undefined && { bankAccountId: account.id }),
    };
    return {
      call: () => sessions.operator(role, 'POST', `/v1/payouts/${payout.id}/retry`, body),
      judge(changed, answer) {
        const { status, amount } = payout;
        if (role === 'ADMIN' && amount > capPaise && answer.status === 200) {
          throw new Refuted('retry beyond the cap', answerText(answer));
        }
        const fits = status === 'FAILED' || status === 'REVERSED';
        allow('retry', answer, [
          ...(fits && (account === undefined || account.status === 'VERIFIED') ? ['200'] : []),
          ...(fits
            ? ['409 OUTCOME_UNDECIDED', '400 BANK_ACCOUNT_NOT_VERIFIED', '403 FORBIDDEN']
            : []),
          ...(changed.customers[sale.customer]?.deleted === true
            ? ['404 NOT_FOUND', '400 BANK_ACCOUNT_NOT_VERIFIED']
            : []),
          ...(role === 'ADMIN' ? ['403 PAYOUT_CAP_EXCEEDED'] : []),
          ...(isTroubled(changed) ? ['503 SERVICE_UNAVAILABLE'] : []),
          '409 ILLEGAL_TRANSITION',
          ...busy,
        ]);
      },
    };
  },
};
