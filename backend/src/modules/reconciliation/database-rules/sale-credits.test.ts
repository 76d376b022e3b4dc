import { expect } from 'vitest';
import { payoutTest } from '#test/support/payout-test.ts';
import { withConnection } from '../../../../dev/stack/database-setup.ts';
import { findBrokenRules } from './find-broken-rules.ts';

const it = payoutTest();

it('the check finds gold that came with a sale', async ({ open }) => {
  const { orderId } = await open.payout();
  const found = await withConnection(open.system.addresses.databaseUrl, (client) =>
    findBrokenRules(client),
  );
  expect(found).toMatchObject([
    { invariant: 1, says: 'a sale takes gold, and credits none', row: { id: orderId } },
  ]);
});
