import { describe, expect, vi } from 'vitest';
import { withConnection } from '../../../backend/dev/stack/database-setup.ts';
import { eventually } from '../../../backend/test/support/eventually.ts';
import type { RunningSystem } from '../../../backend/test/support/open-running-system.ts';
import { runningTest } from '../../../backend/test/support/running-test.ts';
import {
  newSeller,
  payoutBecomes,
  requestSale,
  soldOf,
} from '../../../backend/test/support/test-seller.ts';
import { openRunbook } from '../support/runbook.ts';
import { writeStackHome } from '../support/stack-home.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const it = runningTest({ withAdmin: true, checked: 'at the end' }).extend(
  'env',
  { scope: 'file' },
  async ({ system }, { onCleanup }) => {
    const home = await writeStackHome(system.stack);
    onCleanup(() => home.remove());
    return home.env;
  },
);

const asOwner = (system: RunningSystem, statement: string): Promise<void> =>
  withConnection(system.stack.database.migrateUrl, async (client) => {
    await client.query(statement);
  });

const gates = ['payment', 'sell'] as const;
const closing = (gate: string): string =>
  `goldctl gates close ${gate} --reason "the database lost its last changes"`;
const opening = (gate: string): string => `goldctl gates open ${gate} --reason "the books agree"`;

describe('lost-changes', () => {
  it('finds a payout that no sale here has, until the bank has brought it back', async ({
    system,
    env,
  }) => {
    // The sandbox leaves payouts to this account open.
    const seller = await newSeller(system, { accountEnd: '9999' });
    const { payout } = soldOf(await requestSale(seller, '0.0200'));
    await payoutBecomes(seller, payout.id, 'PROCESSING');
    // It is in progress here a moment before the provider has it.
    const play = (outcome: string) =>
      eventually(() => system.sandbox.control('POST', `/payouts/${payout.id}`, { outcome }));
    await play('processed');
    await payoutBecomes(seller, payout.id, 'PAID');
    // As the second attempt it has another reference than the provider received.
    const number = (no: number): Promise<void> =>
      asOwner(
        system,
        `UPDATE payout_attempt SET attempt_no = ${no},
           idempotency_key = replace(payout_id::text, '-', '') || '-${no}'
         WHERE payout_id = '${payout.id}';
         UPDATE payout SET attempt = ${no} WHERE id = '${payout.id}'`,
      );
    const book = openRunbook('lost-changes', env);
    for (const gate of gates) expect(await book.play(closing(gate))).toMatchObject({ code: 0 });
    const compare = 'goldctl reconcile --fresh --window-hours 24 --samples';
    await number(2);
    try {
      const found = await book.play(compare);
      expect(found).toMatchObject({ code: 3 });
      expect(found.stdout).toContain('PAID_THERE_ONLY');
      await play('reversed');
      await payoutBecomes(seller, payout.id, 'REVERSED');
      expect(await book.play(compare)).toMatchObject({ code: 0 });
    } finally {
      await number(1);
    }
    expect(await book.play('goldctl database rules')).toMatchObject({ code: 0 });
    for (const gate of gates) {
      expect(await book.play(opening(gate), { typed: ['y'] })).toMatchObject({ code: 0 });
    }
    expect(book.unplayed()).toEqual([]);
  });
});

describe('database-failover', () => {
  it('shows that the database only reads, and that it writes again', async ({ system, env }) => {
    const book = openRunbook('database-failover', env);
    const check = 'goldctl check --category stores';
    const { name } = system.stack.database;
    await asOwner(system, `ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    try {
      const found = await book.play(check);
      expect(found).toMatchObject({ code: 3 });
      expect(found.stdout).toContain('×');
    } finally {
      await withConnection(system.stack.database.migrateUrl, async (client) => {
        await client.query('SET default_transaction_read_only = off');
        await client.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`);
      });
    }
    await eventually(async () => expect(await book.play(check)).toMatchObject({ code: 0 }));
    expect(await book.play('goldctl database rules')).toMatchObject({ code: 0 });
    expect(book.unplayed()).toEqual([]);
  });
});
