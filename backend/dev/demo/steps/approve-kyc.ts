import { approveKyc, findInQueue } from '../acts/kyc.ts';
import type { Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { kycWire } from '../wire.ts';

/** The operator finds the customer in the queue; approval registers them at the provider. */
export const approveCustomer: Step = {
  title: 'The operator approves the customer',
  async run(demo) {
    const [customer, operator] = [demo.recall('customer'), demo.recall('operator')];
    const record = await findInQueue(operator, customer.userId);
    demo.keep('kycRecordId', record.id);
    await approveKyc(operator, record.id);
    await operator.api.refused({
      method: 'POST',
      path: `/kyc/${record.id}/approve`,
      status: 409,
      code: 'ILLEGAL_TRANSITION',
    });
    const { body } = await customer.api.ask({ method: 'GET', path: '/kyc/status', read: kycWire });
    expectThat(body.status === 'APPROVED', `the customer still reads ${body.status}`);
    return [
      `one of ${record.total} in the queue; registered with the gold provider, then APPROVED`,
      'a second approval is refused: 409 ILLEGAL_TRANSITION',
    ];
  },
};
