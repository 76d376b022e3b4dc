import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deliver,
  openCheckout,
  openPayments,
  signedEvent,
  type OpenPayments,
} from '#test/support/open-payments.ts';
import { findPaymentOrder } from './index.ts';

let open: OpenPayments;
beforeAll(async () => {
  open = await openPayments();
});
afterAll(() => open.close());

/** The events of one checkout: a payment that failed, and a second one that was captured. */
const story = [
  ['payment.failed', 'first'],
  ['payment.failed', 'first'],
  ['payment.captured', 'second'],
  ['payment.captured', 'second'],
  ['order.paid', 'second'],
  ['payment.authorized', 'second'],
] as const;

/** Positions in the story, in any order, cut into groups that arrive at the same time. */
const arrivals = fc
  .tuple(
    fc.shuffledSubarray([...story.keys()], { minLength: story.length, maxLength: story.length }),
    fc.array(fc.boolean(), { minLength: story.length, maxLength: story.length }),
  )
  .map(([order, cuts]) =>
    order.reduce<number[][]>((groups, event, at) => {
      const last = groups.at(-1);
      if (last === undefined || cuts[at] === true) groups.push([event]);
      else last.push(event);
      return groups;
    }, []),
  );

describe('the order of webhooks', () => {
  it('is not trusted: whatever it is, and however parallel, there is one allocation', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(arrivals, async (groups) => {
        run += 1;
        const { gatewayOrderId, orderId, paymentOrderId } = await openCheckout(open);
        for (const group of groups) {
          const answers = await Promise.all(
            group.map((event) => {
              const [name, payment] = story[event] ?? ['', ''];
              return deliver(open, signedEvent(name, gatewayOrderId, `pay_${run}_${payment}`));
            }),
          );
          expect(answers.every(({ status }) => status === 200)).toBe(true);
        }
        const state = await open.orders.state(orderId);
        expect(state).toMatchObject({ status: 'PAID', allocations: 1, code: null });
        const paid = await findPaymentOrder(open.database.db, paymentOrderId);
        expect(paid?.status).toBe('PAID');
      }),
      { numRuns: 25 },
    );
  });
});
