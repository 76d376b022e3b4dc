import { describe, expect } from 'vitest';
import { goldTest } from '#test/support/gold-test.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import type { JournalEntry } from '#test/support/open-test-system.ts';
import { newIdempotencyKey } from '#test/support/sellers.ts';

const it = goldTest({ env: { PAYMENT_GATEWAYS: 'cashfree' } });

type Customer = Awaited<ReturnType<OpenGold['newCustomer']>>;

/** Creates a customer who has a profile. */
const newProfile = async (open: OpenGold, fullName: string, email: string) => {
  const customer = await open.newCustomer();
  const profile = { fullName, email };
  await open.database.db.user.update({ where: { id: customer.id }, data: profile });
  return { ...customer, ...profile };
};

/** Returns the contact data that the gateway received with this order. */
const contactOf = async (open: OpenGold, gatewayOrderId: string) => {
  const path = '/journal?collaborator=cashfree&operation=create-order';
  const { body } = await open.sandbox.control('GET', path);
  const entries = body['entries'] as JournalEntry[]; // the journal's own view
  return entries.find((entry) => entry.body['order_id'] === gatewayOrderId)?.body[
    'customer_details'
  ];
};

const fault = (open: OpenGold, operation: string, kind: string) =>
  open.sandbox.control('POST', '/faults', { collaborator: 'cashfree', operation, fault: kind });

const buy = async (open: OpenGold, customer?: Customer) => {
  const { call } = customer ?? (await open.newCustomer());
  const body = { unit: 'INR', amount: '1000', idempotency_key: newIdempotencyKey() };
  const answer = await call('POST', '/gold/buy', body);
  return { call, payment: answer.body.payment };
};

/** Returns the proof of Cashfree's checkout: the order's id and the session that opened it. */
const proofOf = (payment: {
  readonly gateway_order_id: string;
  readonly checkout: { readonly session: string };
}) => ({
  gateway_order_id: payment.gateway_order_id,
  gateway_payment_id: payment.gateway_order_id,
  signature: payment.checkout.session,
});

describe("Cashfree's checkout", () => {
  it('is opened by a session, which is the same at every read of the payment order', async ({
    open,
  }) => {
    const { call, payment } = await buy(open);
    expect(payment).toMatchObject({
      gateway: 'cashfree',
      gateway_order_id: payment.id,
      checkout: { provider: 'cashfree', session: expect.stringMatching(/^session_/u) },
    });
    const { body } = await call('GET', `/payments/orders/${payment.id}`);
    expect(body.checkout).toEqual(payment.checkout);
  });

  it('gets the contact data of the customer who buys', async ({ open }) => {
    const customers = [
      await newProfile(open, 'Zubeida Qureshi', 'zubeida@example.test'),
      await newProfile(open, 'Asha Rao', 'asha@example.test'),
    ];
    const payments = await Promise.all(
      customers.map(async (customer) => (await buy(open, customer)).payment),
    );
    const contacts = await Promise.all(
      payments.map(({ gateway_order_id: id }) => contactOf(open, id)),
    );
    expect(contacts).toEqual(
      customers.map(({ id, phone, fullName, email }) => ({
        customer_id: id.replaceAll('-', ''),
        customer_phone: phone.slice('+91'.length),
        customer_name: fullName,
        customer_email: email,
      })),
    );
  });

  it('has its session even if the first response of the gateway was lost', async ({ open }) => {
    await fault(open, 'create-order', 'accept_then_timeout');
    const { payment } = await buy(open);
    expect(payment.checkout.session).toMatch(/^session_/u);
  });

  it('is verified by its gateway order, and paid as the gateway reports', async ({ open }) => {
    const { call, payment } = await buy(open);
    const path = `/payments/orders/${payment.id}/verify`;
    const early = await call('POST', path, proofOf(payment));
    expect(early.body).toMatchObject({ verified: true, payment: { status: payment.status } });
    const play = { outcome: 'captured', deliver: 'none' };
    await open.sandbox.control('POST', `/payments/${payment.gateway_order_id}`, play);
    const late = await call('POST', path, proofOf(payment));
    expect(late.body).toMatchObject({ verified: true, payment: { status: 'PAID' } });
  });

  it("is not verified by another order's payment, nor while Cashfree does not answer", async ({
    open,
  }) => {
    const [one, other] = [await buy(open), await buy(open)];
    const play = { outcome: 'captured' };
    const id = other.payment.gateway_order_id;
    const { body: played } = await open.sandbox.control('POST', `/payments/${id}`, play);
    const path = `/payments/orders/${one.payment.id}/verify`;
    const stolen = { ...proofOf(one.payment), gateway_payment_id: played['gateway_payment_id'] };
    expect(await one.call('POST', path, stolen)).toMatchObject({
      status: 400,
      body: { error: { code: 'SIGNATURE_MISMATCH' } },
    });
    expect(await one.call('POST', path, proofOf(other.payment))).toMatchObject({
      status: 400,
      body: { error: { code: 'PAYMENT_MISMATCH' } },
    });
    await open.sandbox.control('POST', '/faults', {
      collaborator: 'cashfree',
      operation: 'list-payments',
      fault: 'error',
      times: 3,
    });
    expect(await one.call('POST', path, proofOf(one.payment))).toMatchObject({
      status: 502,
      body: { error: { code: 'GATEWAY_UNAVAILABLE' } },
    });
  });
});
