import type { DemoOperator, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';

/** Finds the customer's record in the review queue, which may have many before it. */
const findInQueue = async ({ api }: DemoOperator, userId: string) => {
  for (let page = 1; ; page += 1) {
    const query = { status: 'SUBMITTED', limit: 100, page } as const;
    const { body } = await api.get('/v1/kyc', { query });
    const record = body.items.find((item) => item.userId === userId);
    if (record !== undefined) return { id: record.id, total: body.total };
    expectThat(body.items.length === 100, `the review queue does not have customer ${userId}`);
  }
};

/** Finds the customer in the queue and approves; from then on the gold provider knows them. */
export const approveKyc = async (operator: DemoOperator, userId: string) => {
  const record = await findInQueue(operator, userId);
  const { body } = await operator.api.post('/v1/kyc/{id}/approve', { path: { id: record.id } });
  expectThat(body.status === 'APPROVED', `KYC reads ${body.status} after it was approved`);
  return record;
};

/** The operator finds the customer in the queue; approval registers them at the provider. */
export const approveCustomer: Step = {
  title: 'The operator approves the customer',
  async run(demo) {
    const [customer, operator] = [demo.readState('customer'), demo.readState('operator')];
    const { id, total } = await approveKyc(operator, customer.userId);
    demo.saveState('kycRecordId', id);
    const again = operator.api.post('/v1/kyc/{id}/approve', { path: { id } });
    await expectRefusal(409, 'ILLEGAL_TRANSITION', again);
    const { body } = await customer.api.get('/v1/kyc/status');
    expectThat(body.status === 'APPROVED', `the customer still reads ${body.status}`);
    return [
      `one of ${total} in the queue; registered with the gold provider, then APPROVED`,
      'a second approval is refused: 409 ILLEGAL_TRANSITION',
    ];
  },
};
