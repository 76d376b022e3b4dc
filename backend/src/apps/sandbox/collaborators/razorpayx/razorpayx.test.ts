import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../../test/support/eventually.ts';
import { asker, openSandbox, type OpenSandbox, type Told } from '../../testing/open-sandbox.ts';

let open: OpenSandbox;
let keys = 0;

const account = '7878780080316316';
const contact = { name: 'Asha Rao', contact: '9876543210', type: 'customer', reference_id: 'u-1' };
const bank = { name: 'Asha Rao', ifsc: 'HDFC0000053', account_number: '111122229999' };

beforeAll(async () => {
  open = await openSandbox({ settleMs: 60_000, webhookBackoffMs: [] });
});
beforeEach(() => open.control('POST', '/reset'));
afterAll(() => open.stop());

const newFundAccount = async (change: object = {}): Promise<string> => {
  const { body: made } = await open.razorpayx('POST', '/v1/contacts', contact);
  const asked = {
    contact_id: made['id'],
    account_type: 'bank_account',
    bank_account: { ...bank, ...change },
  };
  return String((await open.razorpayx('POST', '/v1/fund_accounts', asked)).body['id']);
};

const bodyOf = (fundAccountId: string, change: object = {}) => ({
  account_number: account,
  fund_account_id: fundAccountId,
  amount: 123_456,
  currency: 'INR',
  mode: 'IMPS',
  purpose: 'payout',
  queue_if_low_balance: true,
  reference_id: 'payout-1',
  narration: 'Gold sale',
  ...change,
});

const create = (body: object, key: string | null = `key-${(keys += 1)}`): Promise<Told> => {
  const credentials = Buffer.from('dev-only-razorpayx-key:dev-only-razorpayx-key-secret');
  const headers = {
    authorization: `Basic ${credentials.toString('base64')}`,
    ...(key !== null && { 'x-payout-idempotency': key }),
  };
  return asker(`${open.url}/razorpayx`, headers)('POST', '/v1/payouts', body);
};

const refusal = (field?: string) => ({
  status: 400,
  body: { error: { code: 'BAD_REQUEST_ERROR', ...(field !== undefined && { field }) } },
});

describe('callers', () => {
  it('needs the API key', async () => {
    const stranger = asker(`${open.url}/razorpayx`, { authorization: 'Basic eDp5' });
    const told = await stranger('GET', '/v1/payouts/x');
    expect(told).toMatchObject({ status: 401, body: { error: { code: 'BAD_REQUEST_ERROR' } } });
  });
});

describe('contacts and fund accounts', () => {
  it('gives the same for the same details, and another for others', async () => {
    const first = await open.razorpayx('POST', '/v1/contacts', contact);
    expect(first.body).toMatchObject({ entity: 'contact', ...contact, active: true });
    expect((await open.razorpayx('POST', '/v1/contacts', contact)).body).toEqual(first.body);
    const other = await open.razorpayx('POST', '/v1/contacts', { ...contact, name: 'Asha' });
    expect(other.body['id']).not.toBe(first.body['id']);
    const accountId = await newFundAccount();
    expect(await newFundAccount()).toBe(accountId);
    expect(await newFundAccount({ ifsc: 'HDFC0000054' })).not.toBe(accountId);
  });

  it.each([
    ['name', 'Al'],
    ['name', 'Asha*'],
    ['type', 'friend'],
    ['reference_id', 'r'.repeat(41)],
  ])('refuses a contact whose %s is %s', async (field, value) => {
    const told = await open.razorpayx('POST', '/v1/contacts', { ...contact, [field]: value });
    expect(told).toMatchObject(refusal(field));
  });

  it('refuses an account that cannot be one, and quotes no number', async () => {
    const { body: made } = await open.razorpayx('POST', '/v1/contacts', contact);
    const asked = { contact_id: made['id'], account_type: 'bank_account' };
    const send = (more: object) =>
      open.razorpayx('POST', '/v1/fund_accounts', { ...asked, ...more });
    const told = await send({ bank_account: { ...bank, account_number: '1111-2222' } });
    expect(told).toMatchObject(refusal('bank_account.account_number'));
    expect(told.text).not.toContain('1111');
    expect(await send({ contact_id: 'cont_x', bank_account: bank })).toMatchObject(refusal());
  });
});

describe('payouts', () => {
  it('makes one of a key and body, whatever becomes of it', async () => {
    const body = bodyOf(await newFundAccount());
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
    const told = await Promise.all(Array.from({ length: 10 }, () => create(body, 'one key')));
    for (const again of told) expect(again.body).toEqual(first.body);
    await open.control('POST', '/payouts/payout-1', { outcome: 'failed', deliver: 'none' });
    expect((await create(body, 'one key')).body).toMatchObject({
      id: first.body['id'],
      status: 'failed',
    });
  });

  it('refuses a known key with another body, and a body without a key', async () => {
    const body = bodyOf(await newFundAccount());
    await create(body, 'one key');
    const other = await create({ ...body, amount: 123_457 }, 'one key');
    expect(other).toMatchObject(refusal());
    for (const key of [null, 'abc', 'k'.repeat(37), 'a+b+c']) {
      expect(await create(body, key)).toMatchObject(refusal('X-Payout-Idempotency'));
    }
  });

  it('remembers a key for seven days', async () => {
    const body = bodyOf(await newFundAccount());
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
    const body = bodyOf(await newFundAccount());
    expect(await create({ ...body, [field]: value }, 'one key')).toMatchObject(refusal(field));
    expect((await create(body, 'one key')).status).toBe(200);
  });

  it('knows no payout and no fund account of another', async () => {
    expect(await create(bodyOf('fa_x'))).toMatchObject(refusal());
    expect(await open.razorpayx('GET', '/v1/payouts/pout_x')).toMatchObject(refusal());
  });

  it('lists newest first, narrowed and by pages', async () => {
    const accountId = await newFundAccount();
    const otherId = await newFundAccount({ account_number: '555566669999' });
    const ids: unknown[] = [];
    for (const reference of ['a', 'b', 'c']) {
      ids.push((await create(bodyOf(accountId, { reference_id: reference }))).body['id']);
    }
    await create(bodyOf(otherId));
    const list = async (query: string) => {
      const path = `/v1/payouts?account_number=${account}${query}`;
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
    const body = bodyOf(await newFundAccount());
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
    const listed = await open.razorpayx('GET', `/v1/payouts?account_number=${account}`);
    expect(listed.body['items']).toMatchObject([{ amount: 123_556 }]);
    expect((await open.razorpayx('GET', path)).body['amount']).toBe(123_456);
    const query = '?collaborator=razorpayx&operation=create-payout';
    const { body: journal } = await open.control('GET', `/journal${query}`);
    expect(journal['entries']).toMatchObject([{ idempotencyKey: 'one key', body }]);
  });

  it.each([
    [500, 'SERVER_ERROR'],
    [429, 'BAD_REQUEST_ERROR'],
  ])('fails with %s in its own form when it is told to', async (status, code) => {
    const fault = { collaborator: 'razorpayx', operation: 'get-payout', fault: 'error', status };
    await open.control('POST', '/faults', fault);
    const told = await open.razorpayx('GET', '/v1/payouts/x');
    expect(told).toMatchObject({ status, body: { error: { code } } });
  });
});

const validate = (body: object) => open.razorpayx('POST', '/v1/fund_accounts/validations', body);

describe('penny-drops', () => {
  const asked = {
    source_account_number: account,
    validation_type: 'optimized',
    reference_id: 'bank-1',
    fund_account: { account_type: 'bank_account', bank_account: bank, contact },
  };
  it('starts, with the contact and the fund account that there are', async () => {
    const accountId = await newFundAccount();
    const { body } = await validate(asked);
    expect(body).toMatchObject({
      entity: 'fund_account.validation',
      status: 'created',
      reference_id: 'bank-1',
      validation_results: { account_status: null, name_match_score: null },
      fund_account: { id: accountId, contact: { reference_id: 'u-1' } },
    });
    const path = `/v1/fund_accounts/validations/${String(body['id'])}`;
    expect((await open.razorpayx('GET', path)).body).toEqual(body);
  });

  it("refuses another's account and what is none, and knows none of another", async () => {
    const foreign = await validate({ ...asked, source_account_number: '1' });
    expect(foreign).toMatchObject(refusal('source_account_number'));
    const { contact: _contact, ...accountAlone } = asked.fund_account;
    expect(await validate({ ...asked, fund_account: accountAlone })).toMatchObject(refusal());
    expect(await open.razorpayx('GET', '/v1/fund_accounts/validations/x')).toMatchObject(refusal());
  });
});

it('settles nothing before its time', async () => {
  await create(bodyOf(await newFundAccount({ account_number: '123456789012' })));
  await eventually(async () => {
    const { body } = await open.control('GET', '/payouts');
    expect(body['items']).toMatchObject([{ status: 'processing', accountLast4: '9012' }]);
  });
});
