import type { Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/**
 * Adds a bank account and waits until it is verified. To verify it, the payout provider sends a rupee
 * to the account, and the bank returns the name of its holder.
 */
export const addBankAccount: Step = {
  title: 'A bank account, verified by a penny-drop',
  async run(demo) {
    const { api, numbers, fullName } = demo.readState('customer');
    const { accountNumber } = numbers;
    const body = { accountNumber, ifsc: 'HDFC0001234', holderName: fullName };
    const added = await expectStatus(201, api.post('/v1/bank-accounts', { body }));
    expectThat(added.status === 'PENDING', `a new bank account reads ${added.status}`);
    const account = await until({
      timers: demo.timers,
      seconds: 60,
      look: async () => {
        const answer = await api.get('/v1/bank-accounts');
        const found = answer.body.items.find(({ id }) => id === added.id);
        expectThat(found !== undefined, 'the bank account is not in the list');
        return found;
      },
      isThere: ({ status }) => status === 'VERIFIED',
      otherwise: ({ status }) => `the bank account is still ${status}`,
    });
    expectThat(account.accountLast4 === accountNumber.slice(-4), 'its last four digits differ');
    expectThat(account.primary, 'the first verified account is not the primary one');
    demo.saveState('bankAccount', account);
    return [
      `••••${account.accountLast4} at ${account.ifsc}: PENDING -> VERIFIED, primary`,
      `the bank's own name fits with a score of ${account.nameMatchScore ?? 'none'}`,
    ];
  },
};

/** Sells gold and checks that the sale and its payout match the quote. */
export const sellGold: Step = {
  title: 'The customer sells 0.05 g',
  async run(demo) {
    const { api } = demo.readState('customer');
    const wanted = { unit: 'GRAMS', amount: '0.05' } as const;
    const quote = await expectStatus(201, api.post('/v1/gold/quote/sell', { body: wanted }));
    expectThat(quote.withheldPaise === 0, `withheld are ${quote.withheldPaise} paise`);
    const bodyOf = (amount: string) => ({
      ...wanted,
      amount,
      bank_account_id: demo.readState('bankAccount').id,
      idempotency_key: `demo-${demo.random.uuid()}`,
    });
    const tooMuch = api.post('/v1/gold/sell', { body: bodyOf('1') });
    await expectRefusal(400, 'INSUFFICIENT_BALANCE', tooMuch);
    const body = { ...bodyOf(wanted.amount), quote_id: quote.id };
    const { order, ...sold } = await expectStatus(201, api.post('/v1/gold/sell', { body }));
    const payout = expectPresent(sold.payout, 'payout of the sale');
    const grams = expectPresent(order.grams, 'weight of the sale');
    expectThat(order.proceeds_paise === quote.proceedsPaise, 'it yields other than was quoted');
    expectThat(payout.amountPaise === quote.proceedsPaise, `paid out are ${payout.amountPaise}`);
    const again = await expectStatus(200, api.post('/v1/gold/sell', { body }));
    expectThat(again.order.id === order.id, 'the same key made a second sale');
    demo.saveState('sale', { order, payout });
    const { body: portfolio } = await api.get('/v1/portfolio');
    return [
      'more than there is: 400 INSUFFICIENT_BALANCE; the same key again: the same sale',
      `${showGrams(grams)} at ${showPaise(quote.pricePerGramPaise)}:` +
        ` ${showPaise(quote.proceedsPaise)}, nothing withheld`,
      `left are ${showGrams(portfolio.balance)}, invested ${showPaise(portfolio.investedPaise)}`,
    ];
  },
};

/** A payout up to ₹1,00,000 needs no approval. The provider's webhook reports that it is paid. */
export const receivePayout: Step = {
  title: 'The money arrives',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { order, payout: created } = demo.readState('sale');
    const payout = await until({
      timers: demo.timers,
      seconds: 60,
      look: async () => (await api.get('/v1/payouts/{id}', { path: { id: created.id } })).body,
      isThere: ({ status }) => status === 'PAID',
      otherwise: ({ status }) => `payout ${created.id} is still ${status}`,
    });
    const { body: sold } = await api.get('/v1/gold/orders/{id}', { path: { id: order.id } });
    expectThat(sold.status === 'COMPLETED', `the sale reads ${sold.status}`);
    const providerPayouts = await demo.sandbox.get('/_control/payouts');
    const key = `${payout.id.replaceAll('-', '')}-`;
    const paid = providerPayouts.body.items.filter(({ referenceId }) =>
      referenceId?.startsWith(key),
    );
    expectThat(paid.length === 1, `the payout provider has ${paid.length} payouts of it`);
    expectThat(paid[0]?.amountPaise === payout.amountPaise, 'the provider paid another amount');
    return [
      `${showPaise(payout.amountPaise)} to ••••${payout.accountLast4} by IMPS, UTR ${payout.utr}`,
      'the sale: CONFIRMED -> COMPLETED; the payout provider paid once',
    ];
  },
};
