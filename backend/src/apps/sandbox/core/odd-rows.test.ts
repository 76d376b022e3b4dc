import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type OpenSandbox } from '../testing/open-sandbox.ts';

let open: OpenSandbox;
beforeAll(async () => {
  open = await openSandbox({ addsOddRows: true });
});
afterAll(() => open.stop());

const rowsOf = (body: Readonly<Record<string, unknown>>): unknown =>
  body['items'] ?? body['transactions'] ?? body['workflow_runs'];

test('every list holds rows about something else, as far as its page has room', async () => {
  const { razorpay, gateway, safegold, github, razorpayx } = open;
  const order = { amount: 100_050, currency: 'INR', receipt: 'odd-1' };
  const made = await razorpay('POST', '/v1/orders', order);
  const neutral = { amount_paise: 100_050, currency: 'INR', receipt: 'odd-1' };
  const own = await gateway('POST', '/v1/orders', neutral);
  const customer = { name: 'Asha Rao', mobile_no: '9876543210', pin_code: '400001' };
  const user = await safegold('POST', '/v1/users', customer);
  const runs = '/repos/digital-gold/service/actions/workflows/deploy-backend.yml/runs';
  const account = 'account_number=7878780080316316';
  const lists = [
    await razorpay('GET', `/v1/orders/${String(made.body['id'])}/payments`),
    await razorpay('GET', '/v1/disputes'),
    await razorpay('GET', '/v1/orders?receipt=odd-2'),
    await gateway('GET', `/v1/orders/${String(own.body['id'])}/payments`),
    await gateway('GET', '/v1/orders?receipt=odd-2'),
    await safegold('GET', `/v1/users/${String(user.body['id'])}/transactions`),
    await github('GET', runs),
    await razorpayx('GET', `/v1/payouts?${account}`),
  ];
  for (const { status, body } of lists) {
    expect(status).toBe(200);
    expect(rowsOf(body)).toContainEqual(expect.objectContaining({ status: 'on_the_moon' }));
  }
  expect(rowsOf((await razorpay('GET', '/v1/orders?count=1')).body)).toHaveLength(1);
});
