import { gramsText, rupeesText, unitsOf } from '../model/figures.ts';
import type { Customer } from '../model/world.ts';
import { allow, busy, hasFaults, numberOf, Refuted, textOf, type Command } from '../story.ts';
import { chooseCustomer, customerOf } from './customers.ts';
import { possibleSalesAt } from './sales.ts';

const lifeMs = 120_000;

/** A customer requests a sell quote, which is valid for two minutes. */
export const quoteSale: Command = {
  name: 'quote-sale',
  choose(story, { pick, int, percent }) {
    const isEligible = ({ kyc, balance }: Customer) =>
      kyc === 'APPROVED' && (balance > 0 || percent(5));
    const c = chooseCustomer(story, pick, isEligible);
    const customer = story.world.customers[c ?? -1];
    if (c === undefined || customer === undefined) return undefined;
    const unit = percent(40) ? 'INR' : 'GRAMS';
    const available = Math.max(1, customer.balance - customer.reserved);
    const grams = pick([available, 1 + int(available), available + 1]) ?? 1;
    return { c, unit, amount: unit === 'INR' ? 900 + int(400_000) : grams };
  },
  prepare({ sessions, world }, given) {
    const phone = customerOf(world, given)?.phone;
    if (phone === undefined) return undefined;
    const unit = textOf(given, 'unit');
    const amount = numberOf(given, 'amount');
    const body = { unit, amount: unit === 'INR' ? rupeesText(amount) : gramsText(amount) };
    return {
      call: () => sessions.customer(phone, 'POST', '/v1/gold/quote/sell', body),
      judge(changed, answer) {
        const customer = customerOf(changed, given);
        const possibleSales = possibleSalesAt(changed, unit, amount);
        const cannotSignIn = customer === undefined || customer.deleted || customer.blocked;
        allow('quote of a sale', answer, [
          cannotSignIn
            ? '401 UNAUTHENTICATED'
            : customer.kyc === 'APPROVED'
              ? '201'
              : '403 KYC_REQUIRED',
          // The limits are those of a sale. The `sell` command checks exactly when they apply. Here any
          // of these refusals is accepted.
          ...(cannotSignIn
            ? []
            : ['400 LIMIT_EXCEEDED', '400 AMOUNT_TOO_SMALL', '429 QUOTE_LIMIT']),
          ...(hasFaults(changed) ? ['502 PRICE_UNAVAILABLE'] : []),
          ...busy,
        ]);
        if (answer.status !== 201) return;
        const { id, grams, proceedsPaise, expiresAt } = answer.body;
        const match = possibleSales.find(
          (one) => one.grams === unitsOf(grams) && one.proceedsPaise === proceedsPaise,
        );
        const ends = Date.parse(expiresAt);
        if (match === undefined || ends !== changed.now + lifeMs) {
          throw new Refuted('figures of a quote', `${grams} g for ${proceedsPaise}, to ${ends}`);
        }
        const c = numberOf(given, 'c');
        changed.sellQuotes.push({ ...match, id, customer: c, unit, amount, ends, isUsed: false });
      },
    };
  },
};
