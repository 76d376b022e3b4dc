import type { Step } from '../demo.types.ts';
import { expectStatus } from '../expect-answer.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';

/** A price that holds for minutes: the provider has locked it. */
export const quoteGrams: Step = {
  title: 'A quote for 0.1 g',
  async run(demo) {
    const { api } = demo.readState('customer');
    const body = { unit: 'GRAMS', amount: '0.1' } as const;
    const quote = await expectStatus(201, api.post('/v1/gold/quote', { body }));
    demo.saveState('quote', quote);
    const { goldValuePaise, gstPaise, totalPaise } = quote;
    expectThat(goldValuePaise + gstPaise === totalPaise, 'gold and GST are not the total');
    const { body: again } = await api.get('/v1/gold/quote/{id}', { path: { id: quote.id } });
    expectThat(again.status === 'ACTIVE', `a fresh quote reads ${again.status}`);
    return [
      `${showGrams(quote.grams)} at ${showPaise(quote.pricePerGramPaise)}:` +
        ` ${showPaise(goldValuePaise)} + GST ${showPaise(gstPaise)} = ${showPaise(totalPaise)}`,
      `holds until ${quote.expiresAt}`,
    ];
  },
};
