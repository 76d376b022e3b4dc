import { bearerCaller, createCaller, type Answer, type Caller } from './caller.ts';
import {
  createFactories,
  createNumbers,
  type Factories,
  type MadeAdmin,
  type MadeCustomer,
} from './factories.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';
import { serveAdminApi, serveCustomerApi } from './serve-apis.ts';

/** The smallest PNG: one pixel. */
export const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The body of an upload of a PAN document. */
export const panUpload = { kind: 'PAN', contentType: 'image/png', dataBase64: pngBase64 } as const;

/** The accepted webhook secrets: the new one and the previous one. */
export const kycWebhookSecrets = ['new-kyc-webhook-secret', 'old-kyc-webhook-secret'];

/** The customer API and the admin API as their processes build them, for tests of KYC. */
export interface OpenKyc {
  readonly system: TestSystem;
  readonly make: Factories;
  readonly admin: MadeAdmin;
  /** A caller of the customer API. */
  as(customer?: MadeCustomer): Caller;
  /** Posts an event of the KYC provider. */
  deliver(body: string, signature: string | undefined): Promise<Answer>;
  /** The address of the customer API, with the prefix. */
  readonly url: string;
  /** The address of the admin API, with the prefix. */
  readonly adminUrl: string;
  /** A caller of the admin API. */
  operator(admin?: MadeAdmin): Caller;
  /** Uploads a document. Returns its key. */
  upload(customer: MadeCustomer, changes?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Uploads a document of the customer, and returns a valid body of a KYC submission with it. */
  submission(customer: MadeCustomer): Promise<Record<string, unknown>>;
  submit(customer: MadeCustomer, changes?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** The id of the customer's record. */
  recordOf(customer: MadeCustomer): Promise<string>;
  /** Closes the APIs before their system. */
  stop(): Promise<void>;
}

/** Serves both APIs. `changes` override the usual environment. Closing its `system` closes everything. */
export const openKyc = async (
  given?: TestSystem,
  changes: Readonly<Record<string, string>> = {},
): Promise<OpenKyc> => {
  const system = given ?? (await openTestSystem());
  const { db } = system;
  const make = createFactories(system);
  const env = { KYC_WEBHOOK_SECRETS: kycWebhookSecrets.join(','), ...changes };
  const [customerApi, adminApi, admin] = await Promise.all([
    serveCustomerApi(system, { env }),
    serveAdminApi(system, { env }),
    make.admin('ADMIN'),
  ]);
  const { url: customerUrl } = customerApi;
  const { url: adminUrl } = adminApi;
  const numbers = createNumbers(system.random);
  const as = (customer?: MadeCustomer): Caller => bearerCaller(customerUrl, customer?.token);

  const upload: OpenKyc['upload'] = async (customer, changes = {}) => {
    const { body } = await as(customer)('POST', '/kyc/documents', { ...panUpload, ...changes });
    return String(body['documentKey']);
  };
  const submission: OpenKyc['submission'] = async (customer) => ({
    pan: numbers.pan(),
    aadhaar: numbers.aadhaar(),
    pincode: '560001',
    documentKey: await upload(customer),
    fullName: 'Asha Rao',
  });
  return {
    system,
    async stop() {
      await Promise.all([customerApi.close(), adminApi.close()]);
    },
    make,
    admin,
    url: customerUrl,
    adminUrl,
    as,
    deliver: (body, signature) =>
      createCaller(customerUrl, signature === undefined ? {} : { 'x-signature': signature })(
        'POST',
        '/webhooks/kyc',
        body,
      ),
    operator: (who = admin) => bearerCaller(adminUrl, who.token),
    upload,
    submission,
    async submit(customer, changes = {}) {
      const body = { ...(await submission(customer)), ...changes };
      return as(customer)('POST', '/kyc/submit', body);
    },
    async recordOf({ userId }) {
      return (await db.kycRecord.findUniqueOrThrow({ where: { userId } })).id;
    },
  };
};
