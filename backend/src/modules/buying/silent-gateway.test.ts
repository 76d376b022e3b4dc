import { expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { copyToSilentGateway, withSilentGateway } from '#test/support/silent-gateway.ts';

const it = goldTest({ wrap: { gateways: withSilentGateway } });

const place = async (open: OpenGold, key: string): Promise<string> => {
  const { call } = await open.newCustomer();
  const body = { unit: 'INR', amount: '1000', idempotency_key: key };
  const placed = await call('POST', '/gold/buy', body);
  expect(placed.status).toBe(201);
  return placed.body.order.id;
};
const statusOf = async (open: OpenGold, id: string): Promise<string> =>
  (await open.database.db.goldOrder.findUniqueOrThrow({ where: { id } })).status;

it('a silent gateway does not keep the unpaid orders of another gateway from expiring', async ({
  open,
}) => {
  const earlier = await place(open, 'an-earlier-order');
  await copyToSilentGateway(open.database.db, earlier, 520);
  await open.advance(1);
  const later = await place(open, 'a-later-order');
  await open.advance(480);
  const expire = () => runSweeps(open.gold.expirySweeps, 'buying-expire-unpaid-orders');
  await expire();
  await expire();
  expect(await statusOf(open, later)).toBe('FAILED');
  expect(await statusOf(open, earlier)).toBe('FAILED');
  // The silent gateway may hold money, so its orders wait.
  expect(await open.database.db.goldOrder.count({ where: { status: 'PENDING' } })).toBe(520);
});
