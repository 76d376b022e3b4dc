import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { customerApiTest } from '#test/support/customer-api-test.ts';
import type { OpenCustomerApi, Person } from '#test/support/open-customer-api.ts';
import { pngBase64 } from '#test/support/open-kyc.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { hashesOfPhone } from '../identity/index.ts';
import { createDocumentRemoval } from '../kyc/index.ts';

const it = customerApiTest();

/**
 * Returns patterns that find each item of personal data within any text. Short numbers are only
 * found as whole words.
 */
const patternsOf = (person: Person, more: Readonly<Record<string, string>>) => {
  const texts = {
    phone: person.phone.slice(3),
    fullName: person.fullName,
    email: person.email,
    pan: person.pan,
    aadhaar: person.aadhaar,
    accountNumber: person.accountNumber,
    ...more,
  };
  const forms = Object.entries(texts).flatMap(([name, text]) => [
    [name, text],
    [`${name} in hex`, Buffer.from(text).toString('hex')],
    [`${name} in base64`, Buffer.from(text).toString('base64').replaceAll('=', '')],
  ]);
  const patterns = forms.map(([name = '', text = '']) => ({
    name,
    pattern: text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`),
  }));
  const alone = `(?<![0-9A-Za-z_-])${person.pincode}(?![0-9A-Za-z_-])`;
  return [...patterns, { name: 'pincode', pattern: alone }];
};

/** Searches every column of every table of every schema, and returns the findings with their place. */
const search = (
  open: OpenCustomerApi,
  patterns: ReturnType<typeof patternsOf>,
): Promise<string[]> =>
  withConnection(open.system.addresses.migrateUrl, async (client) => {
    const { rows: tables } = await client.query<{ place: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS place
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
         AND n.nspname NOT LIKE 'pg_toast%'
       ORDER BY 1`,
    );
    expect(tables.length).toBeGreaterThan(50);
    const found = new Set<string>();
    for (const { place } of tables) {
      const { rows } = await client.query<{ name: string }>(
        `SELECT DISTINCT p.name FROM ${place} t
         JOIN unnest($1::text[], $2::text[]) AS p (name, pattern) ON t::text ~* p.pattern`,
        [patterns.map(({ name }) => name), patterns.map(({ pattern }) => pattern)],
      );
      for (const { name } of rows) found.add(`${name} in ${place}`);
    }
    return [...found].toSorted();
  });

/** Returns the rows of money and gold that must not change. */
const booksOf = async (open: OpenCustomerApi, userId: string) => {
  const { db } = open.system;
  const [orders, movements, payments, payouts, holding, jewellery] = await Promise.all([
    db.goldOrder.findMany({ where: { userId }, orderBy: { id: 'asc' } }),
    db.holdingMovement.findMany({ where: { userId }, orderBy: { id: 'asc' } }),
    db.paymentOrder.findMany({ where: { userId }, orderBy: { id: 'asc' } }),
    db.payout.findMany({ where: { userId }, orderBy: { id: 'asc' } }),
    db.holding.findUniqueOrThrow({ where: { userId } }),
    db.productOrder.findMany({
      where: { userId },
      select: { id: true, status: true, totalPaise: true, lines: true, events: true },
    }),
  ]);
  const books = { orders, movements, payments, payouts, holding, jewellery };
  return JSON.stringify(books, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
};

const deleteAccount = async (
  open: OpenCustomerApi,
  phone: string,
  token: string,
): Promise<void> => {
  const call = open.as(token);
  await call('POST', '/users/me/deletion/request');
  const otp = await open.codeOf(phone);
  const confirmed = await call('POST', '/users/me/deletion/confirm', {
    otp,
    confirmation: 'DELETE',
  });
  expect(confirmed.status).toBe(200);
};

it('a deletion leaves nothing of the person in any column, and does not change the books', async ({
  open,
}) => {
  const person = await open.knownPerson();
  const { phone, userId, token, call } = person;
  const { db, blindIndex, objects, logger, clock } = open.system;
  const pushToken = `push-${randomUUID()}`;
  await call('POST', '/users/me/push-tokens', { token: pushToken, platform: 'android' });
  await db.user.update({ where: { id: userId }, data: { mpinHash: 'mpin-hash-of-the-person' } });
  await db.biometricToken.create({
    data: {
      id: randomUUID(),
      userId,
      deviceId: 'device-of-the-person',
      tokenHash: 'biometric-hash-of-the-person',
      createdAt: clock.now(),
    },
  });
  await open.buy(person, '1000');
  const productOrderId = await open.orderJewellery(person);
  await open.deliverJewellery(productOrderId);
  const { balance } = await db.holding.findUniqueOrThrow({ where: { userId } });
  await open.sell(person, balance.toFixed(4));

  const { payloadHash } = await db.productOrder.findUniqueOrThrow({
    where: { id: productOrderId },
  });
  const more = {
    payloadHash: payloadHash ?? '',
    idempotencyKey: person.email.replace('@', '.'),
    phoneHash: hashesOfPhone(blindIndex, phone)[0],
    pushToken,
    mpinHash: 'mpin-hash-of-the-person',
    biometricHash: 'biometric-hash-of-the-person',
  };
  const patterns = patternsOf(person, more);
  // The search works, since it finds the clear data while the account exists.
  expect(await search(open, patterns)).toEqual(
    expect.arrayContaining([
      'phone in public.app_user',
      'fullName in public.app_user',
      'email in public.app_user',
      'phoneHash in public.app_user',
      'payloadHash in public.product_order',
      'idempotencyKey in public.product_order',
      'pushToken in public.push_token',
    ]),
  );
  const before = await booksOf(open, userId);
  const [document] = await db.kycDocument.findMany({ where: { userId } });
  const key = document?.key ?? '';
  expect(await objects.get(key)).toMatchObject({
    kind: 'done',
    value: { bytes: expect.anything() },
  });

  await deleteAccount(open, phone, token);

  // Only the hash remains, by which the phone is refused until the cool-down ends.
  expect(await search(open, patterns)).toEqual(['phoneHash in public.deleted_phone']);
  expect(await booksOf(open, userId)).toBe(before);
  const { wrappedKey, destroyedAt } = await db.userDataKey.findUniqueOrThrow({ where: { userId } });
  expect([wrappedKey.length, destroyedAt === null]).toEqual([0, false]);
  for (const count of await Promise.all([
    db.session.count({ where: { userId } }),
    db.notification.count({ where: { userId } }),
    db.pushToken.count({ where: { userId } }),
    db.biometricToken.count({ where: { userId } }),
    db.kycRecord.count({
      where: { userId, OR: [{ panHash: { not: null } }, { panLast4: { not: null } }] },
    }),
    db.bankAccount.count({ where: { userId, NOT: { numberHash: '', numberSealed: '' } } }),
    db.productOrder.count({
      where: {
        userId,
        OR: [{ shippingAddressSealed: { not: '' } }, { payloadHash: { not: null } }],
      },
    }),
  ])) {
    expect(count).toBe(0);
  }

  // Operators see the order without its address.
  const { body } = await open.operator('GET', `/product-orders/${productOrderId}`);
  expect(body).toMatchObject({ status: 'DELIVERED', shippingAddress: null });

  // The object store also removes the documents as soon as it works again.
  const refusing = { delete: async () => ({ kind: 'unknown', reason: 'down' }) as const };
  await runSweeps([createDocumentRemoval({ db, objects: refusing, logger })]);
  expect(await db.kycDocument.count({ where: { userId } })).toBe(1);
  await runSweeps([createDocumentRemoval({ db, objects, logger })]);
  expect(await db.kycDocument.count({ where: { userId } })).toBe(0);
  expect(await objects.get(key)).toEqual({ kind: 'done', value: undefined });
});

it('a deletion removes the documents even if the store fails to delete many others', async ({
  open,
}) => {
  const { phone, userId, token, call } = await open.person();
  const { db, objects, logger, random, clock } = open.system;
  // Documents are removed in the order of their ids, in which these come before the other one.
  const stuckIds = Array.from({ length: 250 }, () => random.uuid());
  const upload = { kind: 'PAN', contentType: 'image/png', dataBase64: pngBase64 };
  const { body } = await call('POST', '/kyc/documents', upload);
  const last = String(body['documentKey']);
  await db.kycDocument.createMany({
    data: stuckIds.map((id) => ({
      id,
      userId,
      kind: 'PAN',
      key: `stuck-${id}`,
      contentType: 'image/png',
      sizeBytes: 1,
      sha256: '',
      createdAt: clock.now(),
    })),
  });
  expect(await objects.get(last)).toMatchObject({ kind: 'done', value: expect.anything() });
  await deleteAccount(open, phone, token);
  const failing = {
    delete: async (key: string) =>
      key === last ? objects.delete(key) : ({ kind: 'unknown', reason: 'no answer' } as const),
  };
  await runSweeps([createDocumentRemoval({ db, objects: failing, logger })]);
  expect(await objects.get(last)).toEqual({ kind: 'done', value: undefined });
  expect(await db.kycDocument.count({ where: { userId } })).toBe(stuckIds.length);
  await db.kycDocument.deleteMany({ where: { userId } });
});

it('a deletion withdraws a KYC submission, and another account may then use its numbers', async ({
  open,
}) => {
  const person = await open.person();
  const { db } = open.system;
  const upload = { kind: 'PAN', contentType: 'image/png' };
  const submit = async ({ call }: { call: typeof person.call }) => {
    const { body } = await call('POST', '/kyc/documents', { ...upload, dataBase64: pngBase64 });
    const { pan, aadhaar, pincode, fullName } = person;
    const { documentKey } = body;
    return call('POST', '/kyc/submit', { pan, aadhaar, pincode, fullName, documentKey });
  };
  expect((await submit(person)).status).toBe(200);
  const other = await open.person();
  expect(await submit(other)).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
  await deleteAccount(open, person.phone, person.token);
  const record = await db.kycRecord.findUniqueOrThrow({ where: { userId: person.userId } });
  expect(record).toMatchObject({ status: 'PENDING', panSealed: null, fullNameSealed: null });
  expect((await submit(other)).status).toBe(200);
});
