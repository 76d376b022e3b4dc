import { createMsg91 } from '../../src/adapters/sms/msg91/create-msg91.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import { createAccounting } from '../../src/modules/accounting/index.ts';
import { createAdmins } from '../../src/modules/admins/index.ts';
import { insertHolding } from '../../src/modules/holdings/index.ts';
import { createIdentity } from '../../src/modules/identity/index.ts';
import { createNotify } from '../../src/modules/notifications/index.ts';
import { createTokenSigner } from '../../src/platform/auth/jwt.ts';
import { createBlindIndex, createSecretHasher } from '../../src/platform/crypto/index.ts';
import { createFactories } from '#test/support/factories.ts';
import { openKyc } from '#test/support/open-kyc.ts';
import { bearerCaller, createCaller } from '#test/support/caller.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';

/** The text of a key that is as good as any other. */
export const keyOf = (name: string): string => `dev-only-${name}`.padEnd(40, '.');

/** A process that knows these keys, newest first, on the database that all of them share. */
export const openReplica = async (shared: TestSystem, ...names: readonly string[]) => {
  const keys = names.map(keyOf).join(',');
  const system: TestSystem = {
    ...shared,
    tokens: createTokenSigner({ secret: keys, clock: shared.clock }),
    blindIndex: createBlindIndex(keys),
    hasher: createSecretHasher({ pepper: keys }),
  };
  const { clock, db, logger, sandbox } = system;
  const sms = createMsg91(
    {
      MSG91_BASE_URL: `${sandbox.url}/msg91`,
      MSG91_AUTH_KEY: sandboxDefaults.msg91AuthKey,
      MSG91_OTP_TEMPLATE_ID: 'template',
      MSG91_TIMEOUT_MS: 10_000,
    },
    { clock, logger },
  );
  const identity = createIdentity({
    ...system,
    sms,
    revocations: { revoke: async () => {}, isRevoked: async () => false },
    credentialPepper: keys,
    sendLimits: {
      perAddressHour: 1000,
      perNetworkHour: 1000,
      perMinute: 1000,
      customerSharePercent: 0,
    },
    codeMetrics: { countSend: () => {} },
    signInRules: {
      refusalsPerAddressHour: 1000,
      trustedDevicesOnly: false,
      sessionsPerCustomer: 20,
      refusesCommonMpins: false,
    },
    onUserCreated: insertHolding,
    findKycStatus: async () => 'PENDING',
    notify: createNotify(system),
  });
  const kyc = await openKyc(system);
  const admins = createAdmins({ ...system, tokenTtlSeconds: 3600 });
  const accounting = createAccounting({ ...system, db });
  const customerUrl = await system.serve({
    prefix: '/v1',
    routes: identity.customerRoutes,
    guard: identity.customerGuard,
  });
  const adminUrl = await system.serve({
    prefix: '/v1',
    routes: admins.adminRoutes,
    guard: admins.guard,
  });
  const portalUrl = await system.serve({ prefix: '/v1', ...accounting });
  return {
    system,
    make: createFactories(system),
    kyc,
    customer: (token?: string) => bearerCaller(customerUrl, token),
    admin: (token?: string) => bearerCaller(adminUrl, token),
    portal: bearerCaller(portalUrl),
    /**
     * With a token in the header that the accounting API reads, or in the header that it does not.
     */
    portalWith: (token?: string) =>
      createCaller(portalUrl, token === undefined ? {} : { 'x-portal-token': token }),
    portalBearer: (token: string) => bearerCaller(portalUrl, token),
    /** The list of every secret of this process. */
    secret: keys,
    /** Sends a code for sign-in, and returns it. */
    async send(phone: string): Promise<string> {
      await bearerCaller(customerUrl)('POST', '/auth/send-otp', { phone });
      const { body } = await sandbox.control('GET', `/sms?phone=${encodeURIComponent(phone)}`);
      const [newest] = body['messages'] as { otp: string }[]; // the control's own view
      return newest?.otp ?? '';
    },
    verify: (phone: string, otp: string) =>
      bearerCaller(customerUrl)('POST', '/auth/verify-otp', { phone, otp }),
    async stop(): Promise<void> {
      await Promise.all([sms.close(), kyc.stop()]);
    },
  };
};

export type Replica = Awaited<ReturnType<typeof openReplica>>;

/** A fleet on one database: before, at the two steps of a rotation, and after it. */
export const openFleet = async () => {
  const system = await openTestSystem();
  const fleet = {
    before: await openReplica(system, 'old'),
    prepared: await openReplica(system, 'old', 'new'),
    rotating: await openReplica(system, 'new', 'old'),
    after: await openReplica(system, 'new'),
  };
  return {
    system,
    ...fleet,
    async close() {
      for (const replica of Object.values(fleet)) await replica.stop();
      await system.close();
    },
  };
};
