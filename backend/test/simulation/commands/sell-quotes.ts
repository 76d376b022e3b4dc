import { gramsText, rupeesText, unitsOf } from '../model/figures.ts';
import type { Customer } from '../model/world.ts';
import { allow, busy, isTroubled, numberOf, Refuted, textOf, type Command } from '../story.ts';
import { chooseCustomer, customerOf } from './customers.ts';
import { outlooksAt } from './sales.ts';

const lifeMs = 120_000;

/** A customer requests the quote of a sale, and sells by it within two minutes or never. */
export const quoteSale: Command = {
  name: 'quote-sale',
  choose(story, { pick, int, percent }) {
    const isFit = ({ kyc, balance }: Customer) => kyc === 'APPROVED' && (balance > 0 || percent(5));
    const c = chooseCustomer(story, pick, isFit);
    const customer = story.world.customers[c ?? -1];
    if (c === undefined || customer === undefined) return undefined;
    const unit = percent(40) ? 'INR' : 'GRAMS';
    const available = Math.max(1, customer.balance - customer.reserved);
    const grams = pick([available, 1 + int(available), available + 1]) ?? 1;
    return { c, unit, amount: unit === 'INR' ? 900 + int(400_000) : grams };
  },
  prepare({ sessions, world }, given) {
    const customer = customerOf(world, given);
    if (customer === undefined) return undefined;
    const unit = textOf(given, 'unit');
    const amount = numberOf(given, 'amount');
    const body = { unit, amount: unit === 'INR' ? rupeesText(amount) : gramsText(amount) };
    return {
      call: () => sessions.customer(customer.phone, 'POST', '/v1/gold/quote/sell', body),
      judge(changed, answer) {
        const own = customerOf(changed, given);
        const outlooks = outlooksAt(changed, unit, amount);
        const isOut = own === undefined || own.deleted || own.blocked;
        allow('quote of a sale', answer, [
          isOut ? '401 UNAUTHENTICATED' : own.kyc === 'APPROVED' ? '201' : '403 KYC_REQUIRED',
          // The limits are the same as for a sale, whose step checks them exactly.
          ...(isOut ? [] : ['400 LIMIT_EXCEEDED', '400 AMOUNT_TOO_SMALL', '429 QUOTE_LIMIT']),
          ...(isTroubled(changed) ? ['502 PRICE_UNAVAILABLE'] : []),
          ...busy,
        ]);
        if (answer.status !== 201) return;
        const { id, grams, proceedsPaise, expiresAt } = answer.body;
        const fit = outlooks.find(
          (one) => one.grams === unitsOf(grams) && one.proceedsPaise === proceedsPaise,
        );
        const ends = Date.parse(expiresAt);
        if (fit === undefined || ends !== changed.now + lifeMs) {
          throw new Refuted('figures of a quote', `${grams} g for ${proceedsPaise}, to ${ends}`);
        }
        const c = numberOf(given, 'c');
        changed.sellQuotes.push({ ...fit, id, customer: c, unit, amount, ends, isUsed: false });
      },
    };
  },
};
