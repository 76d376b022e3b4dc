import { expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { UntypedCaller } from '#test/support/caller.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { createQuotePurge } from './index.ts';

const it = goldTest();

const daySeconds = 24 * 60 * 60;
const amount = { unit: 'INR', amount: '100' };
const quote = async (call: UntypedCaller): Promise<string> => {
  const { status, body } = await call('POST', '/gold/quote', amount);
  expect(status).toBe(201);
  return body.id;
};

it('the purge deletes expired quotes after 90 days, except those of orders', async ({ open }) => {
  const { id: userId, call } = await open.newCustomer();
  const bought = await quote(call);
  const payment = { quote_id: bought, idempotency_key: 'purge-quotes-1' };
  expect((await call('POST', '/payments/orders', payment)).status).toBe(201);
  const old = [await quote(call), await quote(call), await quote(call)];
  await open.advance(60 * daySeconds);
  const recent = await quote(call);
  await runSweeps(open.gold.expirySweeps, 'buying-expire-quotes');
  await open.advance(31 * daySeconds);
  // This quote is still ACTIVE, because it was not swept, although its life ended long ago.
  const active = await open.database.db.goldQuote.update({
    where: { id: old[2] ?? '' },
    data: { status: 'ACTIVE' },
  });

  const { deleteBatch } = createQuotePurge({ db: open.database.db, clock: open.clock });
  expect(await deleteBatch(1)).toBe(1);
  expect(await deleteBatch(100)).toBe(1);
  expect(await deleteBatch(100)).toBe(0);
  const left = await open.database.db.goldQuote.findMany({ where: { userId } });
  const kept = [bought, recent, active.id];
  expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
  expect((await call('GET', `/gold/quote/${old[0] ?? ''}`)).status).toBe(404);
});
