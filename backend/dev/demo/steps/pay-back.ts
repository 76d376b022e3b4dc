import { z } from 'zod';
import { waitForOrder } from '../acts/buy.ts';
import { signInOperator } from '../acts/sign-in-operator.ts';
import type { Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';

const refundWire = z.object({ reference: z.string() });
const resolvedWire = z.object({ status: z.string(), refund_reference: z.string().nullable() });

/** The way out of a review: the gateway is asked whether it really paid the money back. */
export const payBack: Step = {
  title: 'The money is paid back, and a super admin ends the review',
  async run(demo) {
    const { customer, orderId, gatewayPaymentId } = demo.recall('reviewed');
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const end = { method: 'POST', path: `/orders/${orderId}/resolve` } as const;
    const resolution = { resolution: 'REFUNDED', note: 'paid the wrong amount' };
    await operator.api.refused({
      ...end,
      body: { ...resolution, reference: 'made-up' },
      status: 409,
      code: 'ILLEGAL_TRANSITION',
    });
    const { body: refund } = await demo.sandbox.ask({
      method: 'POST',
      path: `/refunds/${gatewayPaymentId}`,
      body: {},
      read: refundWire,
    });
    const { reference } = refund;
    const { body: resolved } = await operator.api.ask({
      ...end,
      body: { ...resolution, reference },
      read: resolvedWire,
    });
    expectThat(resolved.refund_reference === reference, 'the order does not name the refund');
    await waitForOrder(demo, customer, orderId, 'FAILED');
    return [
      'before the gateway has paid it back: 409, whatever reference is given',
      `${showPaise(49_900)} paid back at the gateway, ${reference}`,
      'the order: MANUAL_REVIEW -> FAILED, with that reference',
    ];
  },
};
