import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCaller, openSandbox, type OpenSandbox } from '../../testing/open-sandbox.ts';
import {
  bankAccount,
  contact,
  newFundAccount,
  refusal,
  validationBody,
} from '../../testing/razorpayx-customer.ts';

let open: OpenSandbox;

beforeAll(async () => {
  open = await openSandbox({ settleMs: 60_000, webhookBackoffMs: [] });
});
beforeEach(() => open.control('POST', '/reset'));
afterAll(() => open.stop());

describe('callers', () => {
  it('needs the API key', async () => {
    const stranger = createCaller(`${open.url}/razorpayx`, { authorization: 'Basic eDp5' });
    const response = await stranger('GET', '/v1/payouts/x');
    expect(response).toMatchObject({ status: 401, body: { error: { code: 'BAD_REQUEST_ERROR' } } });
  });
});

describe('contacts and fund accounts', () => {
  it('gives the same for the same details, and another for others', async () => {
    const first = await open.razorpayx('POST', '/v1/contacts', contact);
    expect(first.body).toMatchObject({ entity: 'contact', ...contact, active: true });
    expect((await open.razorpayx('POST', '/v1/contacts', contact)).body).toEqual(first.body);
    const other = await open.razorpayx('POST', '/v1/contacts', { ...contact, name: 'Asha' });
    expect(other.body['id']).not.toBe(first.body['id']);
    const accountId = await newFundAccount(open);
    expect(await newFundAccount(open)).toBe(accountId);
    expect(await newFundAccount(open, { ifsc: 'HDFC0000054' })).not.toBe(accountId);
  });

  it.each([
    ['name', 'Al'],
    ['name', 'Asha*'],
    ['type', 'friend'],
    ['reference_id', 'r'.repeat(41)],
  ])('refuses a contact whose %s is %s', async (field, value) => {
    const response = await open.razorpayx('POST', '/v1/contacts', { ...contact, [field]: value });
    expect(response).toMatchObject(refusal(field));
  });

  it('refuses an account that cannot be one, and quotes no number', async () => {
    const { body: made } = await open.razorpayx('POST', '/v1/contacts', contact);
    const asked = { contact_id: made['id'], account_type: 'bank_account' };
    const send = (more: object) =>
      open.razorpayx('POST', '/v1/fund_accounts', { ...asked, ...more });
    const response = await send({ bank_account: { ...bankAccount, account_number: '1111-2222' } });
    expect(response).toMatchObject(refusal('bank_account.account_number'));
    expect(response.text).not.toContain('1111');
    expect(await send({ contact_id: 'cont_x', bank_account: bankAccount })).toMatchObject(
      refusal(),
    );
  });
});

const validate = (body: object) => open.razorpayx('POST', '/v1/fund_accounts/validations', body);

describe('penny-drops', () => {
  const asked = validationBody(bankAccount.account_number, 'bank-1');

  it('starts, with the contact and the fund account that there are', async () => {
    const accountId = await newFundAccount(open);
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
