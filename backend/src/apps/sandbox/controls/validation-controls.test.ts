import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openSandbox, type OpenSandbox } from '../testing/open-sandbox.ts';
import { startValidation } from '../testing/razorpayx-customer.ts';
import { receiveWebhooks, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let service: WebhookReceiver;
let open: OpenSandbox;
let start = 0;

const bankAccountId = '01890000-0000-7000-8000-00000000000b';

const arrived = () => service.received.slice(start);
const events = () => arrived().map(({ event }) => event);
const play = (path: string, body: object) => open.control('POST', path, body);

beforeAll(async () => {
  service = await receiveWebhooks();
  open = await openSandbox({
    customerBaseUrl: service.url,
    settleMs: 30,
    webhookBackoffMs: [5, 5, 5],
  });
});
beforeEach(async () => {
  await open.control('POST', '/reset');
  start = service.received.length;
});
afterAll(async () => {
  await open.stop();
  await service.stop();
});

describe('penny-drops', () => {
  it.each([
    ['123456789012', 'completed', 'active'],
    ['123456787777', 'completed', 'active'],
    ['123456789999', 'completed', 'active'],
    ['123456780000', 'failed', null],
  ])('of %s are %s, %s', async (accountNumber, status, accountStatus) => {
    const id = await startValidation(open, { accountNumber, bankAccountId });
    await eventually(() => expect(events()).toEqual([`fund_account.validation.${status}`]));
    const { body } = await open.razorpayx('GET', `/v1/fund_accounts/validations/${id}`);
    expect(body).toMatchObject({ status, validation_results: { account_status: accountStatus } });
    const { payload } = JSON.parse(arrived()[0]?.raw ?? '') as { payload: object };
    expect(payload).toMatchObject({ 'fund_account.validation': { entity: body } });
  });

  it('stay open for an account that ends in 8888', async () => {
    await startValidation(open, { accountNumber: '123456788888', bankAccountId });
    await startValidation(open, { accountNumber: '123456789012', bankAccountId: 'other' });
    await eventually(() => expect(events()).toHaveLength(1));
    const { body } = await open.control('GET', '/validations');
    const statuses = [{ status: 'completed' }, { status: 'created', referenceId: bankAccountId }];
    expect(body['items']).toMatchObject(statuses);
  });

  it.each([
    ['active', { status: 'completed', accountStatus: 'active' }],
    ['invalid', { status: 'completed', accountStatus: 'invalid' }],
    ['failed', { status: 'failed', accountStatus: null }],
  ])('are played: %s', async (outcome, expected) => {
    const accountNumber = '123456788888';
    await startValidation(open, { accountNumber, bankAccountId });
    const newest = await startValidation(open, { accountNumber, bankAccountId });
    const response = await play(`/validations/${bankAccountId}`, { outcome });
    expect(response.body).toMatchObject({ id: newest, accountLast4: '8888', ...expected });
    const event = `fund_account.validation.${expected.status}`;
    await eventually(() => expect(events()).toEqual([event]));
  });

  it('are refused when nobody asked for them, or for another outcome', async () => {
    expect((await play('/validations/nobody', { outcome: 'active' })).status).toBe(404);
    const response = await play('/validations/nobody', { outcome: 'valid' });
    expect(response).toMatchObject({ status: 400, body: { error: { field: 'outcome' } } });
  });
});
