import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSandbox, type OpenSandbox, type CallResponse } from '../../testing/open-sandbox.ts';
import {
  newFundAccount,
  ownAccount,
  payoutBody,
  refusal,
  sendPayout,
} from '../../testing/razorpayx-customer.ts';

let open: OpenSandbox;
let keys = 0;

beforeAll(async () => {
  open = await openSandbox({ settleMs: 60_000, webhookBackoffMs: [] });
});
beforeEach(() => open.control('POST', '/reset'));
afterAll(() => open.stop());

const create = (body: object, key: string | null = `key-${(keys += 1)}`): Promise<CallResponse> =>
  sendPayout(open, body, key);

describe('payouts', () => {
  it('makes one of a key and body, whatever becomes of it', async () => {
    const body = payoutBody(await newFundAccount(open));
    const first = await create(body, 'one key');
    expect(first.body).toMatchObject({
      entity: 'payout',
      amount: 123_456,
      currency: 'INR',
      status: 'processing',
      utr: null,
      reference_id: 'payout-1',
    });
    expect(first.text).not.toContain('idempotency');
    const response = await Promise.all(Array.from({ length: 10 }, () => create(body, 'one key')));
    for (const again of response) expect(again.body).toEqual(first.body);
    await open.control('POST', '/payouts/payout-1', { outcome: 'failed', deliver: 'none' });
    expect((await create(body, 'one key')).body).toMatchObject({
      id: first.body['id'],
      status: 'failed',
    });
  });

  it('refuses a known key with another body, and a body without a key', async () => {
    const body = payoutBody(await newFundAccount(open));
    await create(body, 'one key');
    const other = await create({ ...body, amount: 123_457 }, 'one key');
    expect(other).toMatchObject(refusal());
    for (const key of [null, 'abc', 'k'.repeat(37), 'a+b+c']) {
      expect(await create(body, key)).toMatchObject(refusal('X-Payout-Idempotency'));
    }
  });

  it('remembers a key for seven days', async () => {
    const body = payoutBody(await newFundAccount(open));
    const first = await create(body, 'one key');
    await open.control('POST', '/clock', { advanceSeconds: 6.9 * 86_400 });
    expect((await create(body, 'one key')).body['id']).toBe(first.body['id']);
    await open.control('POST', '/clock', { advanceSeconds: 0.2 * 86_400 });
    expect((await create(body, 'one key')).body['id']).not.toBe(first.body['id']);
  });

  it.each([
    ['account_number', '1234567890'],
    ['amount', 99],
    ['amount', 100.5],
    ['amount', 50_000_001],
    ['currency', 'USD'],
    ['mode', 'imps'],
    ['purpose', 'fun'],
    ['reference_id', 'r'.repeat(41)],
    ['narration', 'Gold-sale'],
    ['narration', 'n'.repeat(31)],
  ])('refuses one whose %s is %s, and leaves the key free', async (field, value) => {
    const body = payoutBody(await newFundAccount(open));
    expect(await create({ ...body, [field]: value }, 'one key')).toMatchObject(refusal(field));
    expect((await create(body, 'one key')).status).toBe(200);
  });

  it('knows no payout and no fund account of another', async () => {
    expect(await create(payoutBody('fa_x'))).toMatchObject(refusal());
    expect(await open.razorpayx('GET', '/v1/payouts/pout_x')).toMatchObject(refusal());
  });

  it('lists newest first, narrowed and by pages', async () => {
    const accountId = await newFundAccount(open);
    const otherId = await newFundAccount(open, { account_number: '555566669999' });
    const ids: unknown[] = [];
    for (const reference of ['a', 'b', 'c']) {
      ids.push((await create(payoutBody(accountId, { reference_id: reference }))).body['id']);
    }
    await create(payoutBody(otherId));
    const list = async (query: string) => {
      const path = `/v1/payouts?account_number=${ownAccount}${query}`;
      const { body } = await open.razorpayx('GET', path);
      // The list's items are payouts.
      return (body['items'] as { id: string }[]).map(({ id }) => id);
    };
    expect(await list('&reference_id=b')).toEqual([ids[1]]);
    expect(await list('&reference_id=x')).toEqual([]);
    expect(await list(`&fund_account_id=${accountId}`)).toEqual(ids.toReversed());
    expect(await list('&count=2&skip=1')).toEqual([ids[2], ids[1]]);
    expect(await list('&status=processed')).toEqual([]);
    expect(await list('&to=1000')).toEqual([]);
    expect(await list('&from=1000')).toHaveLength(4);
    expect(await open.razorpayx('GET', '/v1/payouts')).toMatchObject(refusal('account_number'));
  });

  it('is journalled with its key, and misstated by the fault for figures', async () => {
    const body = payoutBody(await newFundAccount(open));
    const add = (operation: string) =>
      open.control('POST', '/faults', {
        collaborator: 'razorpayx',
        operation,
        fault: 'wrong_amount',
      });
    for (const operation of ['create-payout', 'get-payout', 'list-payouts']) await add(operation);
    const made = await create(body, 'one key');
    expect(made.body['amount']).toBe(123_556);
    const path = `/v1/payouts/${String(made.body['id'])}`;
    expect((await open.razorpayx('GET', path)).body['amount']).toBe(123_556);
    const listed = await open.razorpayx('GET', `/v1/payouts?account_number=${ownAccount}`);
    expect(listed.body['items']).toMatchObject([{ amount: 123_556 }]);
    expect((await open.razorpayx('GET', path)).body['amount']).toBe(123_456);
    const query = '?collaborator=razorpayx&operation=create-payout';
    const { body: journal } = await open.control('GET', `/journal${query}`);
    expect(journal['entries']).toMatchObject([{ idempotencyKey: 'one key', body }]);
  });

  it.each([
    [500, 'SERVER_ERROR'],
    [429, 'BAD_REQUEST_ERROR'],
  ])('fails with %s in its own form on request', async (status, code) => {
    const fault = { collaborator: 'razorpayx', operation: 'get-payout', fault: 'error', status };
    await open.control('POST', '/faults', fault);
    const response = await open.razorpayx('GET', '/v1/payouts/x');
    expect(response).toMatchObject({ status, body: { error: { code } } });
  });
});

it('the sandbox ends no payout before its time', async () => {
  const accountId = await newFundAccount(open, { account_number: '123456789012' });
  await create(payoutBody(accountId));
  const { body } = await open.control('GET', '/payouts');
  expect(body['items']).toMatchObject([{ status: 'processing', accountLast4: '9012' }]);
});
