import { afterAll, beforeAll, expect, it } from 'vitest';
import { openGold, type OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { copyToSilentGateway, withSilentGateway } from '#test/support/silent-gateway.ts';

let open: OpenGold;
beforeAll(async () => {
  open = await openGold({ wrapGateways: withSilentGateway });
});
afterAll(() => open.close());

const place = async (key: string): Promise<string> => {
  const { call } = await open.newCustomer();
  const body = { unit: 'INR', amount: '1000', idempotency_key: key };
  const placed = await call('POST', '/gold/buy', body);
  expect(placed.status).toBe(201);
  return placed.body.order.id;
};
const statusOf = async (id: string): Promise<string> =>
  (await open.database.db.goldOrder.findUniqueOrThrow({ where: { id } })).status;

it('does not keep the unpaid orders of another gateway from expiring', async () => {
  const earlier = await place('an-earlier-order');
  await copyToSilentGateway(open.database.db, earlier, 520);
  await open.advance(1);
  const later = await place('a-later-order');
  await open.advance(480);
  const expire = () => runSweeps(open.gold.expirySweeps, 'expire-unpaid-orders');
  await expire();
  await expire();
  expect(await statusOf(later)).toBe('FAILED');
  expect(await statusOf(earlier)).toBe('FAILED');
  // Whoever gives no answer may hold money: their orders wait.
  expect(await open.database.db.goldOrder.count({ where: { status: 'PENDING' } })).toBe(520);
});
