import type { Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { waitForOrder } from './pay-and-allocate.ts';
import { signInOperator } from './sign-in-operator.ts';

/** The way out of a review: the gateway is asked whether it really paid the money back. */
export const payBack: Step = {
  title: 'The money is paid back, and a super admin ends the review',
  async run(demo) {
    const { customer, orderId, gatewayPaymentId } = demo.readState('reviewed');
    const { operator } = await signInOperator(demo, 'SUPER_ADMIN');
    const resolve = (reference: string) =>
      operator.api.post('/v1/orders/{id}/resolve', {
        path: { id: orderId },
        body: { resolution: 'REFUNDED', note: 'paid the wrong amount', reference },
      });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', resolve('made-up'));
    const { body: refund } = await demo.sandbox.post('/_control/refunds/{id}', {
      path: { id: gatewayPaymentId },
      body: {},
    });
    const { reference } = refund;
    const { body: resolved } = await resolve(reference);
    expectThat('refund_reference' in resolved, 'a second operator has to approve it');
    expectThat(resolved.refund_reference === reference, 'the order does not name the refund');
    await waitForOrder(demo, customer, orderId, 'FAILED');
    return [
      'before the gateway has paid it back: 409, whatever reference is given',
      `${showPaise(49_900)} paid back at the gateway, ${reference}`,
      'the order: MANUAL_REVIEW -> FAILED, with that reference',
    ];
  },
};
