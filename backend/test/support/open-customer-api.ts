import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { createCustomerApi } from '../../src/apps/customer/customer-api.ts';
import type { AdminRole } from '../../src/modules/admins/index.ts';
import { bearerCaller, type Answer, type Caller } from './caller.ts';
import { eventually } from './eventually.ts';
import { createFactories, type Factories } from './factories.ts';
import { pngBase64 } from './open-kyc.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { runQueuedJobs } from './run-queued-jobs.ts';
import { serveAdminApi, serveCustomerApi } from './serve-apis.ts';

type CustomerApi = ReturnType<typeof createCustomerApi>;

/** Everything that a customer gives us of themselves. */
export interface Person {
  readonly phone: string;
  readonly fullName: string;
  readonly email: string;
  readonly pan: string;
  readonly aadhaar: string;
  readonly pincode: string;
  readonly accountNumber: string;
}

/** A signed-in customer of the whole API. */
export interface SignedInPerson extends Person {
  readonly userId: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly call: Caller;
  /** Empty for a customer who has gone through no KYC. */
  readonly bankAccountId: string;
}

/** The customer API and the admin API in this process, as their processes build them. */
export interface OpenCustomerApi {
  readonly system: TestSystem;
  readonly services: CustomerApi['services'];
  readonly make: Factories;
  /** Address with the API's prefix. */
  readonly url: string;
  as(token?: string): Caller;
  /** A super admin's calls of the admin API. */
  readonly operator: Caller;
  /** The same as an operator of this role. */
  operatorAs(role: AdminRole): Caller;
  /** The newest code that reached this phone. */
  codeOf(phone: string): Promise<string>;
  signIn(phone: string): Promise<Answer>;
  /** A new customer, with nothing but a phone. */
  person(phone?: string): Promise<SignedInPerson>;
  /** A new customer with a profile, approved KYC and a verified bank account. */
  knownPerson(phone?: string): Promise<SignedInPerson>;
  /** Buys for so many rupees, up to the allocation. Returns the order's id. */
  buy(person: SignedInPerson, rupees: string): Promise<string>;
  /** Sells grams up to the payout, which is paid. Returns the sale's id. */
  sell(person: SignedInPerson, grams: string): Promise<string>;
  /** Orders a ring to the person's own name and number. Returns the order's id. */
  orderJewellery(person: SignedInPerson): Promise<string>;
  /** Takes a product order through every status up to the delivery. */
  deliverJewellery(orderId: string): Promise<void>;
  /** Runs what is queued. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

let keys = 0;
const newKey = (): string => `whole-api-${process.pid}-${(keys += 1)}`;

const must = (answer: Answer, status: number): Answer => {
  if (answer.status === status) return answer;
  throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
};

/**
 * Opens it with the switches on. Webhooks of the sandbox find their way. The seed opens the gates:
 * without it there is neither evidence nor a policy.
 */
export const openCustomerApi = async ({
  seeded = true,
  ...options
}: { readonly seeded?: boolean; readonly lockWaitMs?: number } = {}): Promise<OpenCustomerApi> => {
  const system = await openTestSystem({ seeded, ...options });
  const { db, random, sandbox, settingsDir } = system;
  for (const gate of ['DIGITAL_GOLD_PAYMENT_ENABLED', 'DIGITAL_SELL_ENABLED']) {
    await writeFile(join(settingsDir, gate), 'true');
  }
  const [customerApi, adminApi] = await Promise.all([
    serveCustomerApi(system),
    serveAdminApi(system),
  ]);
  const { url } = customerApi;
  const { services } = customerApi.api;
  sandbox.sandbox.setCustomerBaseUrl(url.slice(0, -'/v1'.length));
  const make = createFactories(system);
  // Each call has a new token, since tests move the time by days.
  const operatorAs =
    (role: AdminRole): Caller =>
    async (method, path, body) =>
      bearerCaller(adminApi.url, (await make.admin(role)).token)(method, path, body);
  const operator = operatorAs('SUPER_ADMIN');

  const as: OpenCustomerApi['as'] = (token) => bearerCaller(url, token);
  const codeOf: OpenCustomerApi['codeOf'] = (phone) => sandbox.codeFor(phone);
  const drain = async (): Promise<void> => {
    const { gold, payments, banking, payouts } = services;
    const tasks = { ...gold.jobs, ...payments.jobs, ...banking.jobs, ...payouts.jobs };
    const [thrown] = await runQueuedJobs(system, tasks);
    if (thrown !== undefined) throw thrown;
  };
  const signIn: OpenCustomerApi['signIn'] = async (phone) => {
    must(await as()('POST', '/auth/send-otp', { phone }), 200);
    return as()('POST', '/auth/verify-otp', { phone, otp: await codeOf(phone) });
  };

  const person: OpenCustomerApi['person'] = async (phone = make.numbers.phone()) => {
    const { body } = must(await signIn(phone), 200);
    const token = String(body['accessToken']);
    return {
      phone,
      fullName: `Zubeida Q ${random.digits(6)}`,
      email: `zubeida.${random.digits(8)}@example.test`,
      pan: make.numbers.pan(),
      aadhaar: make.numbers.aadhaar(),
      pincode: '793187',
      accountNumber: `51${random.digits(8)}4321`,
      userId: String(Object(body['user'])['id']),
      token,
      refreshToken: String(body['refreshToken']),
      call: as(token),
      bankAccountId: '',
    };
  };

  const goThroughKyc = async ({ call, ...one }: SignedInPerson): Promise<void> => {
    const document = { kind: 'PAN', contentType: 'image/png', dataBase64: pngBase64 };
    const uploaded = must(await call('POST', '/kyc/documents', document), 201);
    const { pan, aadhaar, pincode, fullName } = one;
    const { documentKey } = uploaded.body;
    must(await call('POST', '/kyc/submit', { pan, aadhaar, pincode, fullName, documentKey }), 200);
    const { id } = await db.kycRecord.findUniqueOrThrow({ where: { userId: one.userId } });
    must(await operator('POST', `/kyc/${id}/approve`), 200);
  };

  const addAccount = async ({ call, accountNumber, fullName }: SignedInPerson): Promise<string> => {
    const body = { accountNumber, ifsc: 'HDFC0001234', holderName: fullName };
    const { id } = must(await call('POST', '/bank-accounts', body), 201).body;
    await drain();
    await sandbox.control('POST', `/validations/${String(id)}`, { outcome: 'active' });
    await eventually(async () => {
      const { status } = await db.bankAccount.findUniqueOrThrow({ where: { id: String(id) } });
      return status === 'VERIFIED';
    });
    return String(id);
  };

  return {
    system,
    services,
    make,
    url,
    as,
    operator,
    operatorAs,
    codeOf,
    signIn,
    person,
    drain,
    async knownPerson(phone) {
      const made = await person(phone);
      const profile = { full_name: made.fullName, email: made.email };
      must(await made.call('PATCH', '/users/me', profile), 200);
      await goThroughKyc(made);
      return { ...made, bankAccountId: await addAccount(made) };
    },
    async buy({ call }, amount) {
      const body = { unit: 'INR', amount, idempotency_key: newKey() };
      const placed = must(await call('POST', '/gold/buy', body), 201).body;
      const id = String(Object(placed['order'])['id']);
      const gatewayOrderId = String(Object(placed['payment'])['gateway_order_id']);
      await sandbox.control('POST', `/payments/${gatewayOrderId}`, { outcome: 'captured' });
      await eventually(async () => {
        await drain();
        const { status } = await db.goldOrder.findUniqueOrThrow({ where: { id } });
        return status === 'ALLOCATED';
      });
      return id;
    },
    async sell({ call, bankAccountId }, grams) {
      const body = { unit: 'GRAMS', amount: grams, bank_account_id: bankAccountId };
      const sold = must(
        await call('POST', '/gold/sell', { ...body, idempotency_key: newKey() }),
        201,
      ).body;
      const id = String(Object(sold['order'])['id']);
      const payoutId = String(Object(sold['payout'])['id']);
      await drain();
      await sandbox.control('POST', `/payouts/${payoutId}`, { outcome: 'processed' });
      await eventually(async () => {
        const { status } = await db.goldOrder.findUniqueOrThrow({ where: { id } });
        return status === 'COMPLETED';
      });
      return id;
    },
    async orderJewellery({ call, fullName: name, phone, pincode, pan, email }) {
      const [id, createdAt] = [random.uuid(), system.clock.now()];
      const gold = { category: 'RINGS', purityKarat: 22, weightGrams: '3.5' };
      const price = { pricingMode: 'FIXED', pricePaise: 100_000n };
      const product = { id, name: 'Plain band', ...gold, ...price };
      await db.product.create({ data: { ...product, createdAt, updatedAt: createdAt } });
      const place = { line1: `12, behind ${pan}`, city: 'Kochi', state: 'Kerala', pincode };
      const shippingAddress = { name, phone, ...place };
      const items = [{ productId: id, quantity: 1 }];
      // A key is the client's own text.
      const idempotencyKey = email.replace('@', '.');
      const body = { items, shippingAddress, idempotencyKey };
      return String(must(await call('POST', '/product-orders', body), 201).body['id']);
    },
    async deliverJewellery(orderId) {
      for (const status of ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED']) {
        must(await operator('PATCH', `/product-orders/${orderId}/status`, { status }), 200);
      }
    },
    close: () => system.close(),
  };
};
