import { expect } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { payoutTest } from '#test/support/payout-test.ts';
import { createAdmins } from '../admins/index.ts';
import { createOrderTimelineAdminRoutes } from './index.ts';

interface Entry {
  readonly kind: string;
  readonly actor?: string;
  readonly summary: string;
}

const it = payoutTest();

it('the timeline of an order shows a payout with its attempts, its approval and its events', async ({
  open,
}) => {
  const { guard } = createAdmins({ ...open.system, tokenTtlSeconds: 600 });
  const routes = createOrderTimelineAdminRoutes(open.system);
  const url = await open.system.serve({ prefix: '/v1', routes, guard });
  const { token } = await open.factories.admin('SUPPORT');
  const { call, adminId } = await open.operator();
  const operator = await open.system.db.adminUser.findUniqueOrThrow({ where: { id: adminId } });
  const { orderId, payoutId } = await open.payout(20_000_000n, '5012345678905555');
  expect((await call('POST', `/payouts/${payoutId}/approve`)).status).toBe(200);
  await open.drain();
  const answer = await bearerCaller(url, token)('GET', `/orders/${orderId}/timeline`);
  const items = answer.body['items'] as Entry[]; // as declared
  const attempts = items.filter(({ kind }) => kind === 'payout_attempt');
  expect(attempts.map(({ summary }) => summary)).toEqual(
    expect.arrayContaining([
      'Payout of INR 200000.00, waits for approval',
      'Payout approved',
      'Payout attempt 1 started',
      'Payout attempt 1, try 1: PROCESSING',
    ]),
  );
  const moves = items.filter(({ kind }) => kind === 'payout_transition');
  expect(moves.map(({ summary }) => summary)).toContain('Payout: PENDING to PROCESSING');
  expect(attempts.find(({ summary }) => summary === 'Payout approved')?.actor).toBe(operator.email);
  expect(JSON.stringify(answer.body)).not.toContain('5012345678905555');
});
