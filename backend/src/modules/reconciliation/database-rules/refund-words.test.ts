import { Client } from 'pg';
import { expect, it } from 'vitest';
import { freshDatabase } from '#test/support/fresh-database.ts';
import { findBrokenRules } from './find-broken-rules.ts';

it('the check finds money of an unknown order that was refunded without an operator', async () => {
  const database = await freshDatabase();
  const client = new Client({ connectionString: database.migrateUrl });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO gateway_payment (id, gateway, gateway_payment_id, status, standing,
         amount_paise, currency, refund_reference, refunded_at, learned_at, updated_at)
       VALUES (gen_random_uuid(), 'sandbox', 'pay_1', 'REFUNDED', 'REFUNDED', 700, 'INR',
         'rfnd_1', now(), now(), now())`,
    );
    const broken = await findBrokenRules(client);
    expect(broken.map(({ says }) => says)).toEqual([
      'money of an unknown order is refunded only by an operator, whom the audit log names',
    ]);
  } finally {
    await client.end();
    await database.drop();
  }
});
