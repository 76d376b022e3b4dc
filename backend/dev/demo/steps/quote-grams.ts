import type { Step } from '../demo.types.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { quoteWire } from '../wire.ts';

/** A price that holds for minutes: the provider has locked it. */
export const quoteGrams: Step = {
  title: 'A quote for 0.1 g',
  async run(demo) {
    const { api } = demo.recall('customer');
    const { body: quote } = await api.ask({
      method: 'POST',
      path: '/gold/quote',
      body: { unit: 'GRAMS', amount: '0.1' },
      status: 201,
      read: quoteWire,
    });
    demo.keep('quote', quote);
    const { goldValuePaise, gstPaise, totalPaise } = quote;
    expectThat(goldValuePaise + gstPaise === totalPaise, 'gold and GST are not the total');
    const { body: again } = await api.ask({
      method: 'GET',
      path: `/gold/quote/${quote.id}`,
      read: quoteWire,
    });
    expectThat(again.status === 'ACTIVE', `a fresh quote reads ${again.status}`);
    return [
      `${showGrams(quote.grams)} at ${showPaise(quote.pricePerGramPaise)}:` +
        ` ${showPaise(goldValuePaise)} + GST ${showPaise(gstPaise)} = ${showPaise(totalPaise)}`,
      `holds until ${quote.expiresAt}`,
    ];
  },
};
