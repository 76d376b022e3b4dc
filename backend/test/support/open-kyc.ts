import { isSigned } from '../../src/adapters/webhook-signature.ts';
import { createAdmins } from '../../src/modules/admins/index.ts';
import { createCustomerGuard } from '../../src/modules/identity/customer-guard.ts';
import { createKyc, createKycAdminRoutes } from '../../src/modules/kyc/index.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { bearerCaller, createCaller, type Answer, type Caller } from './caller.ts';
import {
  createFactories,
  createNumbers,
  type Factories,
  type MadeAdmin,
  type MadeCustomer,
} from './factories.ts';
import { openTestSystem, type TestSystem } from './open-test-system.ts';

/** The smallest PNG: one pixel. */
export const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const png = { kind: 'PAN', contentType: 'image/png', dataBase64: pngBase64 } as const;

/** In force: the new one and the one before it. */
export const kycWebhookSecrets = ['new-kyc-webhook-secret', 'old-kyc-webhook-secret'];

/** KYC from both sides, wired as the processes do. */
export interface OpenKyc {
  readonly system: TestSystem;
  readonly make: Factories;
  readonly admin: MadeAdmin;
  /** A caller of the customer API. */
  as(customer?: MadeCustomer): Caller;
  /** Posts an event of the KYC provider. */
  deliver(body: string, signature: string | undefined): Promise<Answer>;
  /** The address of the admin API, with the prefix. */
  readonly adminUrl: string;
  /** A caller of the admin API. */
  operator(admin?: MadeAdmin): Caller;
  /** Uploads a document. Returns its key. */
  upload(customer: MadeCustomer, changes?: Readonly<Record<string, unknown>>): Promise<string>;
  /** A body that passes, with a document of the customer's own. */
  submission(customer: MadeCustomer): Promise<Record<string, unknown>>;
  submit(customer: MadeCustomer, changes?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** The id of the customer's record. */
  recordOf(customer: MadeCustomer): Promise<string>;
}

/** Opens it, with the clients of `given` if that is given. Close its `system`. */
export const openKyc = async (
  given?: TestSystem,
  { requiresDateOfBirth = false }: { readonly requiresDateOfBirth?: boolean } = {},
): Promise<OpenKyc> => {
  const system = given ?? (await openTestSystem());
  const { db, tokens, provider } = system;
  const make = createFactories(system);
  const kyc = createKyc({
    ...system,
    requiresDateOfBirth,
    isSignedBody: (message, signature) =>
      isSigned({ message, signature, encoding: 'hex', secrets: kycWebhookSecrets }),
  });
  const revocations = { revoke: async () => {}, isRevoked: async () => false };
  const [customerUrl, adminUrl, admin] = await Promise.all([
    system.serve({
      prefix: '/v1',
      routes: [...kyc.customerRoutes, ...kyc.webhookRoutes],
      guard: createCustomerGuard({ db, tokens, revocations }),
    }),
    system.serve({
      prefix: '/v1',
      routes: createKycAdminRoutes({ ...system, provider, notify: createNotify(system) }),
      guard: createAdmins({ ...system, tokenTtlSeconds: 60 }).guard,
    }),
    make.admin('ADMIN'),
  ]);
  const numbers = createNumbers(system.random);
  const as = (customer?: MadeCustomer): Caller => bearerCaller(customerUrl, customer?.token);

  const upload: OpenKyc['upload'] = async (customer, changes = {}) => {
    const { body } = await as(customer)('POST', '/kyc/documents', { ...png, ...changes });
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
    make,
    admin,
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
