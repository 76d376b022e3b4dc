import { expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import { createReviewedBuys, operatorId } from '#test/support/reviewed-buys.ts';

const it = goldTest();

it('the API returns 501 for a reconciliation of one order, which is audited, and for a refund', async ({
  open,
}) => {
  const { id } = await createReviewedBuys(open).place();
  const operator = open.as(operatorId);
  for (const path of [`/orders/${id}/reconcile`, `/orders/${id}/refund`]) {
    expect(await operator('POST', path)).toMatchObject({
      status: 501,
      body: { error: { code: 'NOT_IMPLEMENTED' } },
    });
  }
  const rows = await open.database.db.auditLog.findMany({ where: { targetId: id } });
  expect(rows).toMatchObject([
    { action: 'order.reconcile', actorId: operatorId, targetType: 'gold_order' },
  ]);
  expect((await operator('POST', '/orders/1/reconcile')).status).toBe(404);
  const { body } = await operator('GET', `/orders/${id}`);
  expect(body.status).toBe('PENDING');
});
