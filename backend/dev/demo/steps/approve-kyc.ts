import type { DemoOperator, Step } from '../demo.types.ts';
import { expectRefusal } from '../expect-answer.ts';
import { expectThat } from '../step-failure.ts';

/** Finds the customer's record in the review queue, and how many wait there. */
const findInQueue = async ({ api }: DemoOperator, userId: string) => {
  const { body: found } = await api.get('/v1/kyc', { query: { q: userId } });
  const [record] = found.items;
  expectThat(record !== undefined, `the review queue does not have customer ${userId}`);
  const { body: queue } = await api.get('/v1/kyc', { query: { limit: 1 } });
  return { id: record.id, total: queue.total };
};

/** Claims the customer's record and approves. From then on the gold provider knows them. */
export const approveKyc = async (operator: DemoOperator, userId: string) => {
  const record = await findInQueue(operator, userId);
  const path = { id: record.id };
  const { body: claimed } = await operator.api.post('/v1/kyc/{id}/claim', { path });
  expectThat(claimed.claim?.by.id === operator.adminId, 'the claim is not the operator’s');
  const { body } = await operator.api.post('/v1/kyc/{id}/approve', { path });
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
      `one of ${total} in the queue; claimed, registered with the gold provider, then APPROVED`,
      'a second approval is refused: 409 ILLEGAL_TRANSITION',
    ];
  },
};
