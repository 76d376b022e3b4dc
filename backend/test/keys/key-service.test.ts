import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createKeyService } from '../../src/adapters/key-service/create-key-service.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';
import {
  createKeptKeyring,
  createVault,
  createWrappingKeyStore,
  KeysUnavailableError,
  parseKeyring,
  type Vault,
} from '../../src/platform/crypto/index.ts';
import { openKeyring, type OpenKeyring } from '../../src/runtime/open-keyring.ts';
import { rotateKeyring } from '../../src/runtime/rotate-keyring.ts';
import { createFactories } from '#test/support/factories.ts';
import { openKyc } from '#test/support/open-kyc.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';

const context = { purpose: 'test', column: 'test.column', row: '1' };
const lifeMs = 60_000;
const ownKeyring = `k1:${Buffer.alloc(32, 'k').toString('base64')}`;

const environmentOf = (service: string, url: string): Readonly<Record<string, string>> => ({
  APP_MODE: 'test',
  KEY_SERVICE: service,
  AWS_KMS_BASE_URL: `${url}/aws-kms`,
  AWS_KMS_REGION: 'ap-south-1',
  AWS_KMS_KEY_ID: 'alias/digital-gold',
  AWS_KMS_ACCESS_KEY_ID: sandboxDefaults.awsKmsAccessKeyId,
  AWS_KMS_SECRET_ACCESS_KEY: 'dev-only-kms-secret-access-key',
  VAULT_BASE_URL: `${url}/vault`,
  VAULT_TRANSIT_KEY: 'digital-gold',
  VAULT_TOKEN: sandboxDefaults.vaultToken,
});

describe.each(['aws-kms', 'vault-transit'])('personal data under %s', (service) => {
  let system: TestSystem;
  const opened: OpenKeyring[] = [];

  beforeAll(async () => {
    system = await openTestSystem();
  });
  afterAll(() => system.close());
  afterEach(async () => {
    await system.sandbox.control('DELETE', '/faults');
    for (const keys of opened.splice(0)) await keys.close();
  });

  const open = (own?: string, changes: Readonly<Record<string, string>> = {}): OpenKeyring => {
    const { db, timers, random, clock, logger } = system;
    const env = { ...environmentOf(service, system.sandbox.url), ...changes };
    const keys = openKeyring(own, env, { db, timers, random, adapter: { clock, logger } });
    opened.push(keys);
    return keys;
  };
  const openVault = async (own?: string, changes?: Readonly<Record<string, string>>) => {
    const keys = open(own, changes);
    await keys.read();
    return createVault({ keyring: keys.keyring });
  };
  /** A customer whose data key this vault has made. */
  const newCustomer = async (vault: Vault) =>
    (await createFactories({ ...system, vault }).customer()).userId;
  const everySeal = async () => {
    const answer = await system.db.userDataKey.groupBy({ by: ['keyId'] });
    return answer.map(({ keyId }) => keyId).toSorted();
  };

  it('opens in another process, while the database has no key', async () => {
    const [one, other] = [await openVault(), await openVault()];
    const userId = await newCustomer(one);
    const sealed = (await one.forUser(system.db, userId)).seal('ABCPE1234F', context);
    expect((await other.forUser(system.db, userId)).open(sealed, context)).toBe('ABCPE1234F');
    const ofService = one.service.seal('a stranger', context);
    expect(ofService).toMatch(/^v1\.ks1\./u);
    expect(other.service.open(ofService, context)).toBe('a stranger');
    expect(await system.db.wrappingKey.count()).toBe(1);
  });

  it('has one first key, however many processes start at once', async () => {
    const vaults = await Promise.all(Array.from({ length: 6 }, () => openVault()));
    const sealed = vaults.map((vault) => vault.service.seal('x', context));
    for (const vault of vaults) {
      expect(sealed.map((text) => vault.service.open(text, context))).toEqual(Array(6).fill('x'));
    }
    expect(await system.db.wrappingKey.count()).toBe(1);
  });

  it('does not open a wrapped key under another id', async () => {
    const adapter = { clock: system.clock, logger: system.logger };
    const keys = createKeyService(environmentOf(service, system.sandbox.url), adapter);
    const wrapped = await keys?.wrap('ks7', Buffer.alloc(32, 'x'));
    expect(wrapped).toMatchObject({ kind: 'done' });
    const text = wrapped?.kind === 'done' ? wrapped.value : '';
    expect(await keys?.unwrap('ks7', text)).toEqual({
      kind: 'done',
      value: Buffer.alloc(32, 'x'),
    });
    expect(await keys?.unwrap('ks8', text)).toMatchObject({ kind: 'refused', code: 'KEY_REFUSED' });
    await keys?.close();
  });

  it('fails clearly while the service is out of reach, and is all there afterwards', async () => {
    let elapsedMs = 0;
    const { db, clock, logger } = system;
    const keyService = createKeyService(environmentOf(service, system.sandbox.url), {
      clock,
      logger,
    });
    if (keyService === undefined) throw new Error('there is a key service');
    const kept = createKeptKeyring({
      store: createWrappingKeyStore(db),
      service: keyService,
      own: parseKeyring(ownKeyring),
      seals: true,
      lifeMs,
      logger,
      elapsedMs: () => elapsedMs,
    });
    await kept.refresh();
    const vault = createVault({
      keyring: kept.keyring,
      cache: { get: () => undefined, put: () => {}, drop: () => {} },
    });
    const kyc = await openKyc({ ...system, vault });
    onTestFinished(() => kyc.stop());
    const [customer, other] = [await kyc.make.customer(), await kyc.make.customer()];
    expect(await kyc.submit(customer)).toMatchObject({ status: 200 });
    const path = `/kyc/${await kyc.recordOf(customer)}`;
    const submission = await kyc.submission(other);
    const submitOther = () => kyc.as(other)('POST', '/kyc/submit', submission);
    const before = await kyc.operator()('GET', path);
    expect(before).toMatchObject({ status: 200, body: { fullName: 'Asha Rao' } });

    const outage = { fault: 'error', status: 503, times: 1000 };
    await system.sandbox.control('POST', '/faults', {
      collaborator: service,
      operation: '*',
      ...outage,
    });
    elapsedMs = lifeMs / 2;
    await kept.refresh();
    expect(kept.isUsable()).toBe(true);
    expect(await kyc.operator()('GET', path)).toMatchObject({ status: 200 });
    elapsedMs = lifeMs;
    expect(kept.isUsable()).toBe(false);
    expect(await kyc.operator()('GET', path)).toMatchObject({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(await submitOther()).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(await db.kycRecord.findUnique({ where: { userId: other.userId } })).toBeNull();

    await system.sandbox.control('DELETE', '/faults');
    // The circuit lets a probe through after three seconds.
    await expect
      .poll(
        async () => {
          await kept.refresh();
          return kept.isUsable();
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    expect((await kyc.operator()('GET', path)).body).toEqual(before.body);
    expect(await submitOther()).toMatchObject({ status: 200 });
    await keyService.close();
  });

  it('starts without the service, and says that no key can be used', async () => {
    const keys = open(undefined, { VAULT_TIMEOUT_MS: '500', AWS_KMS_TIMEOUT_MS: '500' });
    await system.fault(service, '*', 'reset', { times: 1000 });
    await expect(keys.read()).rejects.toThrow(KeysUnavailableError);
    const vault = createVault({ keyring: keys.keyring });
    expect(() => vault.service.seal('x', context)).toThrow(KeysUnavailableError);
    expect(() => vault.service.open('v1.ks1.AAAA', context)).toThrow(KeysUnavailableError);
  });

  it('takes a new key into use only after every process has read it, then moves to it', async () => {
    const { db, inTransaction } = system;
    const before = await openVault();
    const userId = await newCustomer(before);
    const sealed = (await before.forUser(db, userId)).seal('x', context);
    expect(await open().add()).toBe('ks2');
    expect((await openVault()).keyId).toBe('ks1');
    await db.$executeRaw`UPDATE wrapping_key SET active_at = created_at WHERE number = 2`;
    const vault = await openVault();
    expect(vault.keyId).toBe('ks2');
    await rotateKeyring({ db, inTransaction, vault }, new AbortController().signal);
    expect(await everySeal()).toEqual(['ks2']);
    expect((await (await openVault()).forUser(db, userId)).open(sealed, context)).toBe('x');
  });

  it('is wrapped again after the service has another version of its key', async () => {
    const before = await system.db.wrappingKey.findMany({ orderBy: { number: 'asc' } });
    const rotate =
      service === 'aws-kms'
        ? fetch(`${system.sandbox.url}/aws-kms/`, {
            method: 'POST',
            headers: {
              'x-amz-target': 'TrentService.RotateKeyOnDemand',
              authorization: `AWS4-HMAC-SHA256 Credential=${sandboxDefaults.awsKmsAccessKeyId}/x`,
            },
          })
        : fetch(`${system.sandbox.url}/vault/v1/transit/keys/digital-gold/rotate`, {
            method: 'POST',
            headers: { 'x-vault-token': sandboxDefaults.vaultToken },
          });
    expect((await rotate).ok).toBe(true);
    const sealed = (await openVault()).service.seal('x', context);
    expect(await open().rewrap()).toBe(before.length);
    const after = await system.db.wrappingKey.findMany({ orderBy: { number: 'asc' } });
    expect(after.map(({ wrapped }) => wrapped)).not.toEqual(before.map(({ wrapped }) => wrapped));
    expect((await openVault()).service.open(sealed, context)).toBe('x');
  });

  it('comes from PII_KEYRING and goes back to it, with everything that was sealed', async () => {
    const { db, inTransaction } = system;
    const { signal } = new AbortController();
    const own = createVault({ keyring: parseKeyring(ownKeyring) });
    const userId = await newCustomer(own);
    const sealed = (await own.forUser(db, userId)).seal('x', context);
    const vault = await openVault(ownKeyring);
    await rotateKeyring({ db, inTransaction, vault }, signal);
    expect(await everySeal()).toEqual([vault.keyId]);
    expect((await (await openVault()).forUser(db, userId)).open(sealed, context)).toBe('x');
    const back = await openVault(ownKeyring, { KEY_SERVICE_SEALS: 'false' });
    await rotateKeyring({ db, inTransaction, vault: back }, signal);
    expect(await everySeal()).toEqual(['k1']);
    const again = createVault({ keyring: parseKeyring(ownKeyring) });
    expect((await again.forUser(db, userId)).open(sealed, context)).toBe('x');
  });
});

describe('the configuration', () => {
  it.each([
    [undefined, { KEY_SERVICE: 'none' }, /PII_KEYRING: is needed/u],
    [undefined, { KEY_SERVICE: 'vault-transit' }, /VAULT_BASE_URL/u],
    [`ks1:${ownKeyring.slice(3)}`, {}, /PII_KEYRING: an id/u],
    [undefined, { KEY_SERVICE_SEALS: 'false' }, /PII_KEYRING: is needed/u],
  ])('is refused where it lacks a part: %j %j', (own, changes, message) => {
    const full = environmentOf('vault-transit', 'http://127.0.0.1:1');
    const { VAULT_BASE_URL: _address, ...rest } = full;
    const env = message.source.startsWith('VAULT')
      ? { ...rest, ...changes }
      : { ...full, ...changes };
    const nothing = { db: {}, timers: {}, random: {}, adapter: { clock: {}, logger: {} } };
    expect(() => openKeyring(own, env, nothing as never)).toThrow(message);
  });
});
