import { expect } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createNumbers } from '#test/support/factories.ts';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import { runningTest } from '#test/support/running-test.ts';
import { createTestCustomer, newKey, placedOf, type Call } from '#test/support/test-customer.ts';
import {
  addVerifiedAccount,
  payoutBecomes,
  requestSale,
  soldOf,
} from '#test/support/test-seller.ts';

// Vendors say no more than they must of a customer whose number ends in 55.

const it = runningTest({
  withAdmin: true,
  openCompanion: async () => ({
    environment: { PAYMENT_GATEWAYS: 'razorpay,cashfree,sandbox' },
    close: async () => {},
  }),
});

/** Signs a new customer in, by an SMS, whose session can be renewed as business time moves. */
const signIn = async (system: RunningSystem) => {
  const numbers = createNumbers(system.runtime.random);
  const phone = `${numbers.phone().slice(0, -2)}55`;
  const nobody = system.as(undefined);
  expect((await nobody('POST', '/auth/send-otp', { phone })).status).toBe(200);
  const otp = await system.sandbox.codeFor(phone);
  const signedIn = await nobody('POST', '/auth/verify-otp', { phone, otp });
  expect(signedIn).toMatchObject({ status: 200, body: { isNewUser: true } });
  let { body: tokens } = signedIn;
  const callAt =
    (url: string): Call =>
    (method, path, body) =>
      system.as(String(tokens['accessToken']), 'customer', url)(method, path, body);
  const call = callAt(system.stack.urlOf('customer'));
  const me = await call('GET', '/users/me');
  const customer = createTestCustomer({ userId: String(me.body['id']), phone }, call, callAt);
  const renew = async (): Promise<void> => {
    const { refreshToken } = tokens;
    const renewed = await nobody('POST', '/auth/refresh', { refreshToken });
    expect(renewed).toMatchObject({ status: 200 });
    tokens = renewed.body;
  };
  return { customer, numbers, renew };
};
type SignedIn = Awaited<ReturnType<typeof signIn>>;

/** An image of a single white pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';

const passKyc = async (system: RunningSystem, { customer, numbers }: SignedIn): Promise<void> => {
  const { call, userId } = customer;
  const identity = { pan: numbers.pan(), aadhaar: numbers.aadhaar(), pincode: '560001' };
  const document = { kind: 'PAN', contentType: 'image/png', dataBase64: png };
  const uploaded = await call('POST', '/kyc/documents', document);
  expect(uploaded.status).toBe(201);
  const { documentKey } = uploaded.body;
  const form = { ...identity, documentKey, fullName: 'Asha Rao' };
  const submitted = await call('POST', '/kyc/submit', form);
  expect(submitted).toMatchObject({ status: 200, body: { status: 'SUBMITTED' } });
  const admin = await system.signInAdmin('ADMIN');
  const items = (await admin('GET', '/kyc')).body['items'] as { id: string; userId: string }[];
  const record = items.find((item) => item.userId === userId);
  expect((await admin('POST', `/kyc/${record?.id}/approve`)).status).toBe(200);
};

const pay = (system: RunningSystem, gatewayOrderId: string) =>
  system.sandbox.control('POST', `/payments/${gatewayOrderId}`, { outcome: 'captured' });

const buyThrough = async (system: RunningSystem, { customer }: SignedIn, gateway: string) => {
  const key = newKey();
  const body = { unit: 'INR', amount: '1000.00', idempotency_key: key, gateway };
  const answer = await customer.call('POST', '/gold/buy', body);
  expect(answer).toMatchObject({ status: 201, body: { payment: { gateway } } });
  const placed = placedOf(answer.body, key);
  await pay(system, placed.gatewayOrderId);
  return customer.becomes(placed.orderId, 'ALLOCATED');
};

const sellAll = async ({ customer: client }: SignedIn): Promise<void> => {
  const accountNumber = '50100987654321';
  const bankAccountId = await addVerifiedAccount(client, accountNumber);
  const seller = { client, accountNumber, bankAccountId };
  const { balance } = await client.portfolio();
  const sold = soldOf(await requestSale(seller, balance));
  await payoutBecomes(seller, sold.payout.id, 'PAID');
  await client.becomes(sold.order.id, 'COMPLETED');
  expect((await client.portfolio()).balance).toBe('0.0000');
};

interface Installment {
  readonly id: string;
  readonly payment: { readonly gateway_order_id: string | null } | null;
}

/** Follows a plan of two installments from its first to its last, each paid at its checkout. */
const followPlan = async (system: RunningSystem, { customer, renew }: SignedIn): Promise<void> => {
  const { call } = customer;
  const terms = { amount_inr: '500.00', frequency: 'DAILY', duration_installments: 2 };
  const made = await call('POST', '/gold/sip', { ...terms, idempotency_key: newKey() });
  expect(made).toMatchObject({ status: 201, body: { status: 'ACTIVE' } });
  const path = `/gold/sip/${String(made.body['id'])}`;
  for (const installment of [1, 2]) {
    const dueAt = Date.parse(String((await call('GET', path)).body['next_due_at']));
    const leftMs = dueAt - system.runtime.clock.now().getTime();
    if (leftMs > 0) await system.advance(Math.ceil(leftMs / 1000) + 1);
    await renew();
    const raised = await eventually(async () => {
      const { body } = await call('GET', `${path}/installments`);
      const items = body['items'] as (Installment & { installment_no: number })[];
      const found = items.find((item) => item.installment_no === installment);
      expect(found?.payment?.gateway_order_id).toEqual(expect.any(String));
      return found;
    });
    await pay(system, raised?.payment?.gateway_order_id ?? '');
    await customer.becomes(raised?.id ?? '', 'ALLOCATED');
  }
  await eventually(async () => expect((await call('GET', path)).body['status']).toBe('COMPLETED'));
};

it('a customer without optional details buys, sells, is paid, and follows a plan', async ({
  system,
}) => {
  const signedIn = await signIn(system);
  const { customer } = signedIn;
  await passKyc(system, signedIn);
  for (const gateway of ['razorpay', 'cashfree', 'sandbox']) {
    await buyThrough(system, signedIn, gateway);
  }
  expect(await customer.portfolio()).toMatchObject({ investedPaise: 300_000 });
  await sellAll(signedIn);
  await followPlan(system, signedIn);
  expect(await customer.portfolio()).toMatchObject({ investedPaise: 100_000 });
});
