import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { buyWire } from '../wire.ts';

/** A lost answer is asked for again with the same key, and nothing is bought twice. */
export const repeatBuy: Step = {
  title: 'The same request again buys nothing more',
  async run(demo) {
    const { api } = demo.recall('customer');
    const idempotency_key = demo.recall('buyKey');
    const request = { method: 'POST', path: '/gold/buy' } as const;
    const { body, headers } = await api.ask({
      ...request,
      body: { unit: 'INR', amount: '1000.50', idempotency_key },
      read: buyWire,
    });
    const isSame = body.order.id === demo.recall('buy').order.id;
    expectThat(isSame, `the repeat answered another order, ${body.order.id}`);
    expectThat(headers.get('idempotent-replayed') === 'true', 'the repeat was not called one');
    await api.refused({
      ...request,
      body: { unit: 'INR', amount: '2000', idempotency_key },
      status: 409,
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
    return [
      `the same order with 200 and "idempotent-replayed: true"`,
      'the key with another amount is refused: 409 IDEMPOTENCY_KEY_REUSED',
    ];
  },
};
