import { createTokenSigner } from '../../src/platform/auth/jwt.ts';
import { createBlindIndex, createSecretHasher } from '../../src/platform/crypto/index.ts';
import { openKyc } from '#test/support/open-kyc.ts';
import { bearerCaller, createCaller } from '#test/support/caller.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';

/** The text of a key that is as good as any other. */
export const keyOf = (name: string): string => `dev-only-${name}`.padEnd(40, '.');

/** The three APIs with these keys, newest first, on the database that all replicas share. */
export const openReplica = async (shared: TestSystem, ...names: readonly string[]) => {
  const keys = names.map(keyOf).join(',');
  const system: TestSystem = {
    ...shared,
    tokens: createTokenSigner({ secret: keys, clock: shared.clock }),
    blindIndex: createBlindIndex(keys),
    hasher: createSecretHasher({ pepper: keys }),
  };
  const { sandbox } = system;
  const [kyc, accounting] = await Promise.all([
    openKyc(system, {
      JWT_SECRET: keys,
      BLIND_INDEX_KEY: keys,
      CREDENTIAL_PEPPER: keys,
      OTP_SENDS_PER_NETWORK_HOUR: '10000',
      SMS_PER_MINUTE: '10000',
      SMS_CUSTOMER_SHARE_PERCENT: '0',
    }),
    serveAccountingApi(system),
  ]);
  const portalUrl = accounting.url;
  return {
    system,
    make: kyc.make,
    kyc,
    customer: (token?: string) => bearerCaller(kyc.url, token),
    admin: (token?: string) => bearerCaller(kyc.adminUrl, token),
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
      await kyc.as()('POST', '/auth/send-otp', { phone });
      return sandbox.codeFor(phone);
    },
    verify: (phone: string, otp: string) => kyc.as()('POST', '/auth/verify-otp', { phone, otp }),
    async stop(): Promise<void> {
      await Promise.all([kyc.stop(), accounting.close()]);
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
