import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { createDatabase, type Database, type Db } from '../db/database.ts';
import { createRandom } from '../ids/random.ts';
import { parseKeyring } from './keyring.ts';
import { SealError } from './sealing.ts';
import { createVault, DataKeyDestroyedError } from './vault.ts';

const random = createRandom();
const key = (): string => randomBytes(32).toString('base64');
const k1 = `k1:${key()}`;
const k2 = `k2:${key()}`;
const context = { purpose: 'personal-data', column: 'kyc_record.pan', row: 'r-1' };

let fresh: FreshDatabase;
let database: Database;
let db: Db;
beforeAll(async () => {
  fresh = await freshDatabase();
  database = createDatabase({ url: fresh.appUrl, poolSize: 5, applicationName: 'vault-test' });
  ({ db } = database);
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

const createVaultOf = (keyring: string) => createVault({ keyring: parseKeyring(keyring) });

/** A user with what the schema asks for and nothing else. */
const createUser = async (): Promise<string> => {
  const id = random.uuid();
  await db.$executeRaw`
    insert into app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
    values (${id}::uuid, ${`+919${random.digits(9)}`}, ${id}, ${id}, now(), now())`;
  return id;
};

const makeOld = async (userId: string): Promise<void> => {
  await db.$executeRaw`
    update user_data_key set created_at = now() - interval '1 hour'
    where user_id = ${userId}::uuid`;
};

describe('service sealer', () => {
  it('opens only what is where it was sealed', () => {
    const { service } = createVaultOf(k1);
    const sealed = service.seal('ABCDE1234F', context);
    expect(sealed).toMatch(/^v1\.k1\.[\w-]+$/u);
    expect(service.open(sealed, context)).toBe('ABCDE1234F');
    for (const moved of [
      { ...context, row: 'r-2' },
      { ...context, column: 'kyc_record.aadhaar' },
      { ...context, purpose: 'other' },
    ]) {
      expect(() => service.open(sealed, moved)).toThrow(SealError);
    }
  });

  it('refuses what was changed, cut or sealed with an unknown key', () => {
    const { service } = createVaultOf(k1);
    const sealed = service.seal('x', context);
    const body = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
    body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
    for (const bad of [`v1.k1.${body.toString('base64url')}`, 'v1.k1.AAAA', 'plain', '']) {
      expect(() => service.open(bad, context)).toThrow(SealError);
    }
    expect(() => createVaultOf(k2).service.open(sealed, context)).toThrow('no key k1');
  });

  it('seals with the first key and opens with all of them', () => {
    const old = createVaultOf(k1).service.seal('x', context);
    const { service } = createVaultOf(`${k2},${k1}`);
    expect(service.open(old, context)).toBe('x');
    expect(service.isOutdated(old)).toBe(true);
    expect(service.isOutdated(service.seal('x', context))).toBe(false);
  });

  it('seals the same text differently each time, and bytes as they are', () => {
    const { service } = createVaultOf(k1);
    expect(service.seal('x', context)).not.toBe(service.seal('x', context));
    const bytes = randomBytes(5000);
    const sealed = service.sealBytes(bytes, context);
    expect(service.openBytes(sealed, context).equals(bytes)).toBe(true);
    expect(() => service.openBytes(sealed.subarray(0, 20), context)).toThrow(SealError);
    expect(() => service.openBytes(new Uint8Array(), context)).toThrow(SealError);
  });
});

describe('user data keys', () => {
  it('keeps a key of its own for each user', async () => {
    const vault = createVaultOf(k1);
    const [one, two] = [await createUser(), await createUser()];
    const sealed = (await vault.forUser(db, one)).seal('secret', context);
    const again = createVaultOf(k1);
    expect((await again.forUser(db, one)).open(sealed, context)).toBe('secret');
    const other = await again.forUser(db, two);
    expect(() => other.open(sealed, context)).toThrow(SealError);
  });

  it('makes one key when two make it at once', async () => {
    const user = await createUser();
    const sealers = await Promise.all(
      Array.from({ length: 6 }, () => createVaultOf(k1).forUser(db, user)),
    );
    const sealed = sealers[0]?.seal('x', context) ?? '';
    expect(sealers.map((sealer) => sealer.open(sealed, context))).toEqual(Array(6).fill('x'));
  });

  it('does not remember the key of a transaction that rolled back', async () => {
    const vault = createVaultOf(k1);
    const user = await createUser();
    const failed = database.inTransaction(async (transaction) => {
      await vault.forUser(transaction, user);
      await vault.forUser(transaction, user);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    const sealed = (await vault.forUser(db, user)).seal('x', context);
    expect((await createVaultOf(k1).forUser(db, user)).open(sealed, context)).toBe('x');
  });

  it('destroys a key for good, also where it was in memory', async () => {
    const vault = createVaultOf(k1);
    const user = await createUser();
    await vault.forUser(db, user);
    await makeOld(user);
    await vault.forUser(db, user);
    expect(await vault.destroyUser(db, user)).toBe(true);
    expect(await vault.destroyUser(db, user)).toBe(false);
    await expect(vault.forUser(db, user)).rejects.toThrow(DataKeyDestroyedError);
    const [row] = await db.$queryRaw<{ bytes: number }[]>`
      select length(wrapped_key) as bytes from user_data_key where user_id = ${user}::uuid`;
    expect(row?.bytes).toBe(0);
  });

  it('opens for many users at once, without those whose key is gone or never was', async () => {
    const vault = createVaultOf(k1);
    const [live, gone, never] = [await createUser(), await createUser(), await createUser()];
    const sealed = (await vault.forUser(db, live)).seal('x', context);
    await vault.forUser(db, gone);
    await vault.destroyUser(db, gone);
    const sealers = await vault.forUsers(db, [live, gone, never]);
    expect([...sealers.keys()]).toEqual([live]);
    expect(sealers.get(live)?.open(sealed, context)).toBe('x');
  });

  it('rotates by wrapping again: what was sealed stays readable without the old key', async () => {
    const before = createVaultOf(k1);
    const users = [await createUser(), await createUser(), await createUser()];
    const sealed = new Map<string, string>();
    for (const user of users) {
      sealed.set(user, (await before.forUser(db, user)).seal(user, context));
    }
    const rotating = createVaultOf(`${k2},${k1}`);
    let total = 0;
    for (let count = 1; count > 0; total += count) {
      count = await database.inTransaction((transaction) => rotating.rewrap(transaction, 2));
    }
    expect(total).toBeGreaterThanOrEqual(users.length);
    const after = createVaultOf(k2);
    for (const user of users) {
      const sealer = await after.forUser(db, user);
      expect(sealer.open(sealed.get(user) ?? '', context)).toBe(user);
    }
  });
});
