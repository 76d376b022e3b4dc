import { expect } from 'vitest';
import type { RunningSystem } from '#test/support/open-running-system.ts';
import type { Answer } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import type { PlayedPayment } from '#test/support/sandbox-controls.ts';
import { newKey, type PlacedBuy } from '#test/support/test-customer.ts';
import { newSeller, requestSale, soldOf, type TestSeller } from '#test/support/test-seller.ts';

/** A customer who has something of every kind. */
export interface Owner extends TestSeller {
  readonly system: RunningSystem;
  readonly buy: PlacedBuy;
  readonly payment: PlayedPayment;
  readonly payoutId: string;
}

const idOf = (answer: Answer): string => {
  expect([200, 201]).toContain(answer.status);
  return String(answer.body['id']);
};

/** Creates a customer who has bought, sold, and paid for an order that `buy` names. */
export const createOwner = async (system: RunningSystem): Promise<Owner> => {
  const seller = await newSeller(system, { accountEnd: '9999' });
  const buy = await seller.client.buy('500');
  const payment = await system.sandbox.pay(buy.gatewayOrderId);
  await seller.client.becomes(buy.orderId, 'ALLOCATED', { timeoutMs: 60_000 });
  const sold = soldOf(await requestSale(seller, '0.0100'));
  return { ...seller, system, buy, payment, payoutId: sold.payout.id };
};

/** A resource of the owner: the parameters that name it in a path, and a body that suits it. */
interface OwnedResource {
  readonly params: Readonly<Record<string, string>>;
  readonly body?: object;
}

type Maker = (owner: Owner) => Promise<OwnedResource>;

const named = async (id: Promise<string> | string, body?: object): Promise<OwnedResource> => ({
  params: { id: await id },
  ...(body !== undefined && { body }),
});

/** Signs the owner in on one more device, and returns the session's id. */
const makeSession: Maker = async ({ system, client: { phone, call } }) => {
  const nobody = system.as(undefined);
  await nobody('POST', '/auth/send-otp', { phone });
  const otp = await system.sandbox.codeFor(phone);
  const deviceId = newKey();
  await nobody('POST', '/auth/verify-otp', { phone, otp, deviceId });
  const { body } = await call('GET', '/auth/sessions');
  const sessions = body['items'] as { id: string; deviceId: string }[]; // their view
  return named(sessions.find((session) => session.deviceId === deviceId)?.id ?? '');
};

let accounts = 0;
const makeBankAccount: Maker = ({ client }) => {
  accounts += 1;
  const accountNumber = `60200${String(process.pid).padStart(7, '0')}${accounts}8888`;
  const body = { accountNumber, ifsc: 'HDFC0001234', holderName: 'Asha Rao' };
  return named(client.call('POST', '/bank-accounts', body).then(idOf));
};

const makeNotification: Maker = async ({ client }) => {
  const { body } = await client.call('GET', '/notifications');
  const [newest] = body['items'] as { id: string }[]; // their view
  return named(newest?.id ?? '');
};

const makePushToken: Maker = async ({ client }) => {
  const token = newKey();
  const added = await client.call('POST', '/users/me/push-tokens', { token, platform: 'android' });
  expect(added).toMatchObject({ status: 201 });
  return { params: { token } };
};

const makePlan: Maker = ({ client }) => {
  const plan = { amount_inr: '500', frequency: 'MONTHLY', duration_installments: 3 };
  return named(client.call('POST', '/gold/sip', { ...plan, idempotency_key: newKey() }).then(idOf));
};

const makePlanWithDate: Maker = async (owner) => {
  const { params } = await makePlan(owner);
  const { body } = await owner.client.call('GET', `/gold/sip/${params['id']}`);
  return { params, body: { due_at: body['next_due_at'] } };
};

const makeInstallment: Maker = async (owner) => {
  const { system, client } = owner;
  const { params } = await makePlan(owner);
  const { body: plan } = await client.call('GET', `/gold/sip/${params['id']}`);
  const inMs = Date.parse(String(plan['next_due_at'])) - system.runtime.clock.now().getTime();
  if (inMs > 0) await system.advance(inMs / 1000 + 1);
  const orderId = await eventually(
    async () => {
      const { body } = await client.call('GET', `/gold/sip/${params['id']}/installments`);
      const [first] = body['items'] as { id: string }[]; // their view
      expect(first).toBeDefined();
      return first?.id ?? '';
    },
    { timeoutMs: 60_000, everyMs: 200 },
  );
  return { params: { ...params, orderId } };
};

/** A number is a plan's own: whose plan it is decides. */
const makeNumberedInstallment: Maker = async (owner) => {
  const { params } = await makePlan(owner);
  return { params: { ...params, number: '1' } };
};

const address = {
  name: 'Asha Rao',
  phone: '+919812345678',
  line1: '12 MG Road',
  city: 'Bengaluru',
  state: 'Karnataka',
  pincode: '560001',
};

/** Adds a product to the database: the catalogue is the operators' API's. */
const makeProductOrder: Maker = async ({ system, client }) => {
  const [product] = await system.query<{ id: string }>(
    `INSERT INTO product (id, name, category, purity_karat, weight_grams, pricing_mode,
       price_paise, created_at, updated_at)
     VALUES (gen_random_uuid(), 'Plain band', 'RINGS', 22, 3.5, 'FIXED', 100000, now(), now())
     RETURNING id`,
  );
  const items = [{ productId: product?.id, quantity: 1 }];
  const order = { items, shippingAddress: address };
  return named(client.call('POST', '/product-orders', order).then(idOf));
};

/** Takes an order to the door and back, as operators do: it has an invoice and a credit note. */
const makeReturnedOrder: Maker = async (owner) => {
  const made = await makeProductOrder(owner);
  const way = ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'RETURNED'];
  const id = String(made.params['id']);
  let from = 'PLACED';
  for (const to of way) {
    await owner.system.query(
      `WITH moved AS (
         UPDATE product_order SET status = $2 WHERE id = $1::uuid RETURNING id, user_id)
       INSERT INTO product_order_event (id, order_id, from_status, to_status, cause, actor, at)
       SELECT gen_random_uuid(), id, $3, $2, 'order.status-set', 'admin:' || user_id, now()
       FROM moved`,
      id,
      to,
      from,
    );
    from = to;
  }
  return made;
};

/**
 * Makers of a resource of the owner for each path with an id, by the path below the prefix, or by
 * its beginning up to the last id. A new route with an id needs a line here.
 */
const makers: Readonly<Record<string, Maker>> = {
  '/auth/sessions/{id}': makeSession,
  '/bank-accounts/{id}': makeBankAccount,
  '/gold/orders/{id}': ({ buy }) => named(buy.orderId),
  '/gold/quote/{id}': ({ client }) => named(client.quote().then(({ id }) => id)),
  '/gold/sip/{id}': makePlan,
  '/gold/sip/{id}/skip-next': makePlanWithDate,
  '/gold/sip/{id}/installments/{number}': makeNumberedInstallment,
  '/gold/sip/{id}/installments/{orderId}': makeInstallment,
  '/notifications/{id}': makeNotification,
  '/payments/orders/{id}': ({ buy, payment }) => {
    const { gateway_order_id, gateway_payment_id, signature } = payment;
    return named(buy.paymentOrderId, { gateway_order_id, gateway_payment_id, signature });
  },
  '/payouts/{id}': ({ payoutId }) => named(payoutId),
  '/product-orders/{id}': makeProductOrder,
  '/product-orders/{id}/invoice': makeReturnedOrder,
  '/product-orders/{id}/credit-note': makeReturnedOrder,
  '/users/me/push-tokens/{token}': makePushToken,
};

export const makerOf = (path: string): Maker | undefined =>
  makers[path] ?? makers[path.slice(0, path.lastIndexOf('}') + 1)];

/** A field of a body that names a resource. */
interface NamedInBody {
  /** Returns a body that the owner may send, and what of it belongs to the caller. */
  readonly body: (owner: Owner, caller: TestSeller) => Promise<object>;
  /** The refusal of anybody else. */
  readonly refusal: { readonly status: number; readonly code: string; readonly field?: string };
}

const notFound = { status: 404, code: 'NOT_FOUND' };

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==';
const upload = async ({ client }: TestSeller, kind: string): Promise<unknown> => {
  const document = { kind, contentType: 'image/png', dataBase64: png };
  return (await client.call('POST', '/kyc/documents', document)).body['documentKey'];
};
const submission = {
  pan: 'ABCPE1234F',
  aadhaar: '999941057058',
  pincode: '560001',
  fullName: 'Asha Rao',
};

/**
 * The fields of bodies that name a resource of a customer, by route and field. A new field that
 * ends like an id needs a line here, or one among those that name nothing of ours.
 */
export const namedInBodies: Readonly<Record<string, NamedInBody>> = {
  'POST /auth/biometric-token deviceId': {
    body: async ({ system, client }) => {
      const [row] = await system.query<{ device_id: string }>(
        'SELECT device_id FROM session WHERE user_id = $1::uuid AND revoked_at IS NULL',
        client.userId,
      );
      return { deviceId: row?.device_id };
    },
    refusal: { status: 400, code: 'NO_ACTIVE_SESSION' },
  },
  'POST /gold/sell bank_account_id': {
    body: async ({ bankAccountId }) => ({
      unit: 'GRAMS',
      amount: '0.0100',
      bank_account_id: bankAccountId,
      idempotency_key: newKey(),
    }),
    refusal: notFound,
  },
  'POST /gold/sell quote_id': {
    body: async ({ client }, { bankAccountId }) => {
      const sale = { unit: 'GRAMS', amount: '0.0100' };
      const quoteId = idOf(await client.call('POST', '/gold/quote/sell', sale));
      const key = { bank_account_id: bankAccountId, idempotency_key: newKey() };
      return { ...sale, quote_id: quoteId, ...key };
    },
    refusal: notFound,
  },
  'POST /kyc/submit documentKey': {
    body: async (owner) => ({ ...submission, documentKey: await upload(owner, 'PAN') }),
    refusal: { status: 400, code: 'VALIDATION_FAILED', field: 'documentKey' },
  },
  'POST /kyc/submit selfieKey': {
    body: async (owner, caller) => ({
      ...submission,
      documentKey: await upload(caller, 'PAN'),
      selfieKey: await upload(owner, 'SELFIE'),
    }),
    refusal: { status: 400, code: 'VALIDATION_FAILED', field: 'selfieKey' },
  },
  'POST /payments/orders quote_id': {
    body: async ({ client }) => {
      const { id } = await client.quote();
      return { quote_id: id, idempotency_key: newKey() };
    },
    refusal: notFound,
  },
};

/**
 * Ids of others: the gateway's, held against the caller's own order alone, and the caller's own
 * key.
 */
export const foreignNames: ReadonlySet<string> = new Set([
  'POST /product-orders idempotencyKey',
  'POST /payments/orders/{id}/verify gateway_order_id',
  'POST /payments/orders/{id}/verify gateway_payment_id',
]);
