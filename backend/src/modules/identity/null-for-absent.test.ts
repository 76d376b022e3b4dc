import { expect } from 'vitest';
import { customerApiTest } from '#test/support/customer-api-test.ts';

const it = customerApiTest();

it('the API accepts a sign-in whose device is null', async ({ open }) => {
  const phone = open.make.numbers.phone();
  expect((await open.as()('POST', '/auth/send-otp', { phone })).status).toBe(200);
  const body = { phone, otp: await open.codeOf(phone), deviceId: null, deviceName: null };
  expect((await open.as()('POST', '/auth/verify-otp', body)).status).toBe(200);
});

it('the API accepts the values that GET returned, and changes nothing', async ({ open }) => {
  const { call } = await open.person();
  const before = await call('GET', '/users/me');
  expect(before.body).toMatchObject({ email: null, full_name: null });
  const sent = await call('PATCH', '/users/me', before.body);
  expect(sent.status).toBe(200);
  expect((await call('GET', '/users/me')).body).toEqual(before.body);
});

it('the API creates the same plan and payment order with null fields as without them', async ({
  open,
}) => {
  const { call } = await open.knownPerson();
  const plan = { amount_inr: '500', frequency: 'MONTHLY', duration_installments: 3 };
  const keyed = { ...plan, idempotency_key: 'null-for-absent-1' };
  const createdPlan = await call('POST', '/gold/sip', {
    ...keyed,
    start_date: null,
    mandate_token: null,
  });
  expect(createdPlan.status).toBe(201);
  const again = await call('POST', '/gold/sip', keyed);
  expect([again.status, again.body['id']]).toEqual([200, createdPlan.body['id']]);
  const { body: quote } = await call('POST', '/gold/quote', { unit: 'INR', amount: '100' });
  const order = { quote_id: quote['id'], idempotency_key: 'null-for-absent-2', method: null };
  const placed = await call('POST', '/payments/orders', { ...order, terms_accepted: null });
  expect(placed.status).toBe(201);
});

it('the API refuses null for a required field', async ({ open }) => {
  const answer = await open.as()('POST', '/auth/send-otp', { phone: null });
  expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
});
