import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';

/** A lost answer is asked for again with the same key, and nothing is bought twice. */
export const repeatBuy: Step = {
  title: 'The same request again buys nothing more',
  async run(demo) {
    const { api } = demo.readState('customer');
    const idempotency_key = demo.readState('buyKey');
    const buy = (amount: string) =>
      api.post('/v1/gold/buy', { body: { unit: 'INR', amount, idempotency_key } });
    const { status, body, headers } = await buy('1000.50');
    expectThat(status === 200, `the repeat answered ${status}, not 200`);
    const isSame = body.order.id === demo.readState('buy').order.id;
    expectThat(isSame, `the repeat answered another order, ${body.order.id}`);
    expectThat(headers.get('idempotent-replayed') === 'true', 'the repeat was not called one');
    await expectRefusal(409, 'IDEMPOTENCY_KEY_REUSED', buy('2000'));
    return [
      `the same order with 200 and "idempotent-replayed: true"`,
      'the key with another amount is refused: 409 IDEMPOTENCY_KEY_REUSED',
    ];
  },
};
