import { describe, expect } from 'vitest';
import { customerApiTest } from '#test/support/customer-api-test.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenCustomerApi, SignedInPerson } from '#test/support/open-customer-api.ts';

const it = customerApiTest({ lockWaitMs: 1500 });

let keys = 0;
const tap = ({ call }: SignedInPerson) => {
  keys += 1;
  const body = { unit: 'INR', amount: '100', idempotency_key: `contention-${keys}` };
  return call('POST', '/gold/buy', body);
};
const lockHolding = ({ system }: OpenCustomerApi, { userId }: SignedInPerson) =>
  lockRows(
    system.addresses.databaseUrl,
    'SELECT 1 FROM holding WHERE user_id = $1::uuid FOR UPDATE',
    [userId],
  );

describe('a customer whose row is locked by another transaction', () => {
  it('gets 503 in time, and does not keep other customers from buying', async ({ open }) => {
    const [held, other] = [await open.knownPerson(), await open.knownPerson()];
    const lock = await lockHolding(open, held);
    const taps = Promise.all(Array.from({ length: 15 }, () => tap(held)));
    await untilBlocked(open.system.addresses.databaseUrl, 4);
    expect((await tap(other)).status).toBe(201);
    const answers = await taps;
    for (const { status, code, headers } of answers) {
      expect([status, code]).toEqual([503, 'BUSY']);
      expect(headers.get('retry-after')).toMatch(/^\d+$/u);
    }
    await lock.release();
    expect((await tap(held)).status).toBe(201);
  });

  it('is served if the lock ends in time', async ({ open }) => {
    const held = await open.knownPerson();
    const lock = await lockHolding(open, held);
    const waiting = tap(held);
    await untilBlocked(open.system.addresses.databaseUrl, 1);
    await lock.release();
    expect((await waiting).status).toBe(201);
  });
});
