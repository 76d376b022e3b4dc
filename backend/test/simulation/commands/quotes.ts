import { gramsText, rupeesText, unitsOf } from '../model/figures.ts';
import type { Customer } from '../model/world.ts';
import {
  allow,
  answerText,
  busy,
  hasFaults,
  numberOf,
  Refuted,
  textOf,
  type Command,
} from '../story.ts';
import { breakdownsOf, countedToday, isEveryGatewayOff, newBuy, troubles } from './buys.ts';
import { chooseCustomer, customerOf } from './customers.ts';

const isApproved = ({ kyc }: Customer): boolean => kyc === 'APPROVED';

/** A customer requests a quote, and pays it later or never. */
export const quoteBuy: Command = {
  name: 'quote-buy',
  choose(story, { pick, int, percent }) {
    const c = chooseCustomer(story, pick, isApproved);
    if (c === undefined) return undefined;
    const unit = percent(50) ? 'INR' : 'GRAMS';
    return { c, unit, amount: unit === 'INR' ? 1000 + int(2_000_000) : 1 + int(20_000) };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined) return undefined;
    const unit = textOf(given, 'unit') === 'GRAMS' ? 'GRAMS' : 'INR';
    const amount = numberOf(given, 'amount');
    const body = { unit, amount: unit === 'INR' ? rupeesText(amount) : gramsText(amount) };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/gold/quote', body),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        const breakdowns = breakdownsOf(changed, { unit, amount });
        const { minBuyPaise, maxBuyPaise } = changed.limits;
        const isOver = breakdowns.every(
          ({ totalPaise }) => totalPaise < minBuyPaise || totalPaise > maxBuyPaise,
        );
        const usual = isOver
          ? ['400 LIMIT_EXCEEDED', '400 AMOUNT_TOO_SMALL']
          : // The day's buys may already reach the limit.
            ['201', '400 LIMIT_EXCEEDED'];
        allow('quote', answer, [
          ...(own === undefined || own.deleted || own.blocked
            ? ['401 UNAUTHENTICATED']
            : own.kyc === 'APPROVED'
              ? usual
              : ['403 KYC_REQUIRED']),
          ...(hasFaults(changed) ? ['201', ...troubles] : []),
          '429 QUOTE_LIMIT',
          ...busy,
        ]);
        if (answer.status !== 201) return;
        const { id, grams, totalPaise, expiresAt } = answer.body;
        const fit = breakdowns.find(
          (one) => one.grams === unitsOf(grams) && one.totalPaise === totalPaise,
        );
        if (fit === undefined) {
          throw new Refuted('figures of a quote', `${grams} g for ${totalPaise} paise`);
        }
        const ends = Date.parse(expiresAt);
        changed.quotes.push({ id, customer: numberOf(given, 'c'), ...fit, ends, isUsed: false });
      },
    };
  },
};

/** A customer pays an earlier quote. */
export const payQuote: Command = {
  name: 'pay-quote',
  choose({ world, nextKey }, { int, pick }) {
    const newest = world.quotes.length - 1 - int(4);
    if (world.quotes[newest] === undefined) return undefined;
    return { q: newest, k: nextKey, gateway: pick(['', 'razorpay', 'cashfree']) ?? '' };
  },
  prepare({ sessions, world }, given) {
    const quote = world.quotes[numberOf(given, 'q')];
    const customer = world.customers[quote?.customer ?? -1];
    if (quote === undefined || customer === undefined) return undefined;
    const key = `story-key-${numberOf(given, 'k')}`;
    const gateway = textOf(given, 'gateway');
    const body = {
      quote_id: quote.id,
      idempotency_key: key,
      ...(gateway !== '' && { gateway }),
    };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/payments/orders', body),
      judge(changed, answer) {
        const own = changed.customers[quote.customer];
        const known = changed.quotes[numberOf(given, 'q')];
        if (own === undefined || known === undefined) return;
        const isOver = known.isUsed || changed.now >= known.ends;
        const { most } = countedToday(changed, quote.customer);
        const isTooMuch = most + known.totalPaise > changed.limits.dailyBuyPaise;
        const daily = isTooMuch ? ['400 LIMIT_EXCEEDED'] : [];
        const spent = ['409 QUOTE_USED', '409 QUOTE_EXPIRED', '404 NOT_FOUND', ...daily];
        const off = isEveryGatewayOff(changed, gateway) ? ['503 NO_USABLE_GATEWAY'] : [];
        // An eleventh quote makes the oldest expire.
        const usual = off.length > 0 ? [...off, ...daily] : ['201', '409 QUOTE_EXPIRED', ...daily];
        const refusals =
          own.deleted || own.blocked
            ? ['401 UNAUTHENTICATED']
            : !changed.gates.buy
              ? ['503 PAYMENTS_DISABLED']
              : own.kyc !== 'APPROVED'
                ? ['403 KYC_REQUIRED', ...spent]
                : isOver
                  ? [...spent, ...off]
                  : usual;
        const again = known.isUsed ? ['200'] : [];
        const more = hasFaults(changed) ? troubles : [];
        allow('paying a quote', answer, [...refusals, ...again, ...more, ...busy]);
        if (answer.status >= 500) {
          const { customer: buyer, totalPaise: amountPaise } = known;
          changed.unanswered.push({ customer: buyer, amountPaise, grams: 0 });
        }
        if (answerText(answer) !== '201') return;
        known.isUsed = true;
        const { order_id: orderId, expires_at: _, ...payment } = answer.body;
        const order = { id: orderId, expires_at: new Date(known.ends).toISOString() };
        changed.buys.push({
          ...newBuy(changed, {
            c: known.customer,
            key,
            path: '/v1/payments/orders',
            body,
            breakdown: known,
            answer: { ...answer, body: { order, payment } },
          }),
          // The lock ends after the quote, whose end is in the answer.
          lockEnds: known.ends + 60_000,
        });
      },
    };
  },
};
