import {
  buyForRupees,
  buyOfGrams,
  gramsText,
  istDay,
  ourPrices,
  rupeesText,
  unitsOf,
  type Breakdown,
} from '../model/figures.ts';
import type { Buy, Customer, World } from '../model/world.ts';
import type { UntypedAnswer } from '../../support/caller.ts';
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

const lockMs = 480_000;
const gateways = ['sandbox', 'razorpay', 'cashfree'] as const;

/** The service's refusals while a collaborator misbehaves. */
export const troubles = [
  '502 PRICE_UNAVAILABLE',
  '502 PROVIDER_UNAVAILABLE',
  '502 PROVIDER_REFUSED',
  '502 PROVIDER_MISMATCH',
  '502 GATEWAY_MISMATCH',
  '503 NO_USABLE_GATEWAY',
  '502 GATEWAY_UNAVAILABLE',
];

/**
 * Returns the paise of the installments that may count today. A checkout of an installment counts
 * on the day on which it is opened, which no answer contains.
 */
const installmentsOf = (world: World, customer: number): number =>
  world.buys
    .filter((buy) => buy.customer === customer && buy.plan !== undefined)
    .filter(({ placedAt }) => world.now - placedAt < 32 * 86_400_000)
    .reduce((sum, { amountPaise }) => sum + amountPaise, 0);

/**
 * Returns the paise of the day's buys, both of those that certainly count and of those that may
 * count.
 */
export const countedToday = (world: World, customer: number): { least: number; most: number } => {
  const today = istDay(world.now);
  const own = world.buys.filter(
    (buy) => buy.customer === customer && buy.plan === undefined && istDay(buy.placedAt) === today,
  );
  const unanswered = world.unanswered.filter((one) => one.customer === customer);
  let [least, most] = [0, installmentsOf(world, customer)];
  for (const { amountPaise } of unanswered) most += amountPaise;
  for (const { amountPaise, lockEnds = 0, payments, resolutions } of own) {
    const stands = world.now < lockEnds;
    const isPaid = payments.some(
      ({ toldAt, outcome }) => toldAt !== undefined && outcome === 'captured',
    );
    most += amountPaise;
    // A review may have failed a buy that was paid, and a failed buy does not count.
    if (stands || (isPaid && resolutions.length === 0)) least += amountPaise;
  }
  return { least, most };
};

interface Amount {
  readonly unit: 'INR' | 'GRAMS';
  readonly amount: number;
}

const amountOf = (given: Arguments): Amount => ({
  unit: textOf(given, 'unit') === 'GRAMS' ? 'GRAMS' : 'INR',
  amount: numberOf(given, 'amount'),
});

/**
 * Returns the breakdowns that a buy may have, one for each price that the service may still use.
 */
export const breakdownsOf = (world: World, { unit, amount }: Amount): Breakdown[] =>
  world.prices.map((price) => {
    const { buy } = ourPrices(price, world);
    return unit === 'INR' ? buyForRupees(amount, buy) : buyOfGrams(amount, buy);
  });

/** Lists the obstacles to a buy of this customer, in the contract's order. */
const refusalsOf = (world: World, customer: number, breakdown: Breakdown): string[] => {
  const { limits, gates } = world;
  const own = world.customers[customer];
  if (own === undefined || own.deleted || own.blocked) return ['401 UNAUTHENTICATED'];
  if (!gates.buy) return ['503 PAYMENTS_DISABLED'];
  if (own.kyc !== 'APPROVED') return ['403 KYC_REQUIRED'];
  const { totalPaise, grams } = breakdown;
  const { least, most } = countedToday(world, customer);
  if (totalPaise < limits.minBuyPaise || totalPaise > limits.maxBuyPaise) {
    return grams === 0 ? ['400 AMOUNT_TOO_SMALL', '400 LIMIT_EXCEEDED'] : ['400 LIMIT_EXCEEDED'];
  }
  if (grams === 0) return ['400 AMOUNT_TOO_SMALL'];
  if (least + totalPaise > limits.dailyBuyPaise) return ['400 LIMIT_EXCEEDED'];
  if (most + totalPaise > limits.dailyBuyPaise) return ['201', '400 LIMIT_EXCEEDED'];
  return [];
};

/**
 * The gateway that takes payments if nothing else is chosen. It is the first configured gateway.
 */
const usualGateway = 'sandbox';

/** True if no gateway can be chosen: neither the preferred gateway nor the usual gateway. */
export const isEveryGatewayOff = ({ disabledGateways }: World, preferred: string): boolean =>
  [preferred, usualGateway].every(
    (code) => !gateways.some((known) => known === code) || disabledGateways.includes(code),
  );

const allowedOf = (world: World, given: Arguments, breakdown: Breakdown): string[] => {
  const refusals = refusalsOf(world, numberOf(given, 'c'), breakdown);
  const isOff = isEveryGatewayOff(world, textOf(given, 'gateway'));
  const gateway = isOff ? ['503 NO_USABLE_GATEWAY'] : ['201'];
  const expected =
    refusals.length > 0 ? refusals.flatMap((one) => (one === '201' ? gateway : [one])) : gateway;
  const late = ['429 QUOTE_LIMIT', ...busy];
  return hasFaults(world)
    ? [...expected, ...gateway, ...troubles, ...late]
    : [...expected, ...late];
};

/** Compares a new order's figures with the model's. */
const checkFigures = (breakdowns: readonly Breakdown[], { body }: UntypedAnswer): Breakdown => {
  const { order, payment } = body;
  const seen = {
    grams: unitsOf(order.grams),
    goldPaise: order.gold_value_paise,
    gstPaise: order.gst_paise,
    totalPaise: payment.amount_paise,
  };
  const fit = breakdowns.find((one) => JSON.stringify(one) === JSON.stringify(seen));
  if (fit === undefined) {
    throw new Refuted(
      'figures of a buy',
      `are ${JSON.stringify(seen)}, not ${JSON.stringify(breakdowns)}`,
    );
  }
  same("the order's rupees", order.amount_inr, rupeesText(fit.totalPaise));
  return fit;
};

export const buy: Command = {
  name: 'buy',
  choose(story, { pick, int, percent }) {
    const isFit = ({ kyc }: Customer) => kyc === 'APPROVED' || percent(10);
    const c = chooseCustomer(story, pick, isFit);
    if (c === undefined) return undefined;
    const { limits } = story.world;
    const inr = [
      1000 + int(500_000),
      10_000 + int(5_000_000),
      pick([
        limits.minBuyPaise,
        limits.minBuyPaise - 1,
        limits.maxBuyPaise,
        limits.maxBuyPaise + 1,
        1,
        130,
      ]) ?? 1000,
    ];
    const unit = percent(65) ? 'INR' : 'GRAMS';
    const edge = percent(14) ? limits.maxBuyPaise + (percent(40) ? 1 : 0) : undefined;
    if (edge !== undefined) return { c, k: story.nextKey, unit: 'INR', amount: edge, gateway: '' };
    const amount = unit === 'INR' ? (pick(inr) ?? 1000) : 1 + int(percent(10) ? 3 : 40_000);
    const gateway = pick(['', '', ...gateways, 'unknown']) ?? '';
    return { c, k: story.nextKey, unit, amount, gateway };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined) return undefined;
    const wanted = amountOf(given);
    const gateway = textOf(given, 'gateway');
    const key = `story-key-${numberOf(given, 'k')}`;
    if (world.buys.some((known) => known.key === key)) return undefined;
    const body = {
      unit: wanted.unit,
      amount: wanted.unit === 'INR' ? rupeesText(wanted.amount) : gramsText(wanted.amount),
      idempotency_key: key,
      ...(gateway !== '' && { gateway }),
    };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/gold/buy', body),
      judge(changed, answer) {
        const c = numberOf(given, 'c');
        const known = changed.buys.find((one) => one.key === key);
        if (known !== undefined) {
          allow('a buy at the same moment', answer, ['200', ...troubles, ...busy]);
          if (answer.status === 200)
            same('order of a repeated buy', answer.body.order.id, known.id);
          return;
        }
        const breakdowns = breakdownsOf(changed, wanted);
        const allowed = breakdowns.flatMap((one) => allowedOf(changed, given, one));
        allow('buy', answer, [...new Set(allowed)]);
        // An order whose gateway failed may have been written. Then its key resumes it, and it
        // counts.
        if (answer.status >= 500) {
          const amountPaise = Math.max(...breakdowns.map(({ totalPaise }) => totalPaise));
          changed.unanswered.push({ customer: c, amountPaise, grams: 0 });
        }
        if (answer.status !== 201) return;
        const breakdown = checkFigures(breakdowns, answer);
        const path = '/v1/gold/buy';
        changed.buys.push(newBuy(changed, { c, key, path, body, breakdown, answer }));
      },
    };
  },
};

/** Returns the story's buy from its answer. */
export const newBuy = (
  world: World,
  made: {
    readonly c: number;
    readonly key: string;
    readonly path: Buy['path'];
    readonly body: Buy['body'];
    readonly breakdown: Breakdown;
    readonly answer: UntypedAnswer;
  },
): Buy => {
  const { order, payment } = made.answer.body;
  const lockEnds = Date.parse(order.expires_at);
  if (lockEnds > world.now + lockMs + 1000 || lockEnds < world.now) {
    throw new Refuted('price lock', `ends ${lockEnds - world.now} ms from now`);
  }
  return {
    id: order.id,
    customer: made.c,
    key: made.key,
    path: made.path,
    body: made.body,
    amountPaise: made.breakdown.totalPaise,
    grams: made.breakdown.grams,
    placedAt: world.now,
    lockEnds,
    paymentOrderId: payment.id,
    gatewayOrderIds: payment.gateway_order_id === null ? [] : [payment.gateway_order_id],
    payments: [],
    resolutions: [],
    wasTroubled: hasFaults(world),
  };
};

/** A customer sends the same key again, with the same body or with another one. */
export const repeatBuy: Command = {
  name: 'repeat-buy',
  choose({ world }, { int, percent }) {
    if (world.buys.length === 0) return undefined;
    return { b: int(world.buys.length), other: percent(30) };
  },
  prepare({ sessions, world }, given) {
    const known = world.buys[numberOf(given, 'b')];
    const customer = world.customers[known?.customer ?? -1];
    if (known === undefined || known.key === '' || customer === undefined) return undefined;
    const other = given['other'] === true;
    const isQuoted = known.path === '/v1/payments/orders';
    const change = isQuoted ? { quote_id: known.id } : { amount: '77.77', unit: 'INR' };
    const body = other ? { ...known.body, ...change } : known.body;
    return {
      call: () => sessions.customer(customer.phone, 'POST', known.path, body),
      judge(changed, answer) {
        const own = changed.customers[known.customer];
        const out = own === undefined || own.deleted || own.blocked;
        const age = changed.now - known.placedAt;
        // Keys are forgotten after 90 days.
        if (age > 89 * 86_400_000) return;
        const gate = changed.gates.buy ? [] : ['503 PAYMENTS_DISABLED'];
        const conflict = ['409 IDEMPOTENCY_KEY_REUSED', ...gate];
        const again =
          hasFaults(changed) ||
          isEveryGatewayOff(changed, textOf(known.body as Arguments, 'gateway'))
            ? ['200', '503 NO_USABLE_GATEWAY', '502 GATEWAY_MISMATCH']
            : ['200'];
        const allowed = other ? conflict : again;
        allow('repeated buy', answer, out ? ['401 UNAUTHENTICATED'] : [...allowed, ...busy]);
        if (answerText(answer) !== '200') return;
        const id = isQuoted ? answer.body.order_id : answer.body.order.id;
        same('order of a repeated buy', id, known.id);
      },
    };
  },
};
