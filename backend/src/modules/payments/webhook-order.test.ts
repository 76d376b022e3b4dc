import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import { arrivalsOf } from '#test/support/arrivals.ts';
import {
  captureUnheard,
  deliver,
  openCheckout,
  signedEvent,
  stateOf,
} from '#test/support/checkouts.ts';
import { goldTest } from '#test/support/gold-test.ts';
import { findPaymentOrder } from './index.ts';

const it = goldTest();

/** Returns the events of a checkout with a failed payment and a second, captured payment. */
const checkoutEvents = [
  ['payment.failed', 'first'],
  ['payment.failed', 'first'],
  ['payment.captured', 'second'],
  ['payment.captured', 'second'],
  ['order.paid', 'second'],
  ['payment.authorized', 'second'],
] as const;

describe('the order of webhooks', () => {
  it('does not matter: every sequence and concurrency leads to one allocation', async ({
    open,
  }) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(arrivalsOf(checkoutEvents), async (groups) => {
        run += 1;
        const checkout = await openCheckout(open);
        const { gatewayOrderId, orderId, paymentOrderId } = checkout;
        const ids = { first: `pay_${run}_first`, second: await captureUnheard(open, checkout) };
        for (const group of groups) {
          const answers = await Promise.all(
            group.map((event) => {
              const [name, payment] = checkoutEvents[event] ?? ['payment.captured', 'second'];
              return deliver(open, signedEvent(name, gatewayOrderId, ids[payment]));
            }),
          );
          expect(answers.every(({ status }) => status === 200)).toBe(true);
        }
        const state = await stateOf(open, orderId);
        expect(state).toMatchObject({ status: 'PAID', allocations: 1, code: null });
        const paid = await findPaymentOrder(open.database.db, paymentOrderId);
        expect(paid?.status).toBe('PAID');
      }),
      { numRuns: 25 },
    );
  });
});
