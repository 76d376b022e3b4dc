import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createKeyedRenewal } from '../../src/apps/worker/create-key-sweeps.ts';
import { createKycSweeps } from '../../src/modules/kyc/index.ts';
import { createNumbers } from '#test/support/factories.ts';
import { bearerCaller } from '#test/support/caller.ts';
import { idGuard } from '#test/support/id-guard.ts';
import { openPayouts } from '#test/support/open-payouts.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { createBlindIndex } from '../../src/platform/crypto/index.ts';
import { keyOf, openFleet } from './open-replicas.ts';

let fleet: Awaited<ReturnType<typeof openFleet>>;
let numbers: ReturnType<typeof createNumbers>;

beforeAll(async () => {
  fleet = await openFleet();
  numbers = createNumbers(fleet.system.random);
});

afterAll(async () => fleet.close());

/** The worker's sweeps. */
const sweep = async ({ system }: typeof fleet.before) => {
  const signal = new AbortController().signal;
  await createKeyedRenewal(system)(signal);
  for (const { run } of createKycSweeps(system)) await run(signal);
};

it('the renewal keeps passwords when the old pepper is gone', async () => {
  const { before, rotating, after } = fleet;
  const { email, password } = await before.make.admin();
  const portal = await before.make.portalUser();
  const signIn = async ({ admin, portal: call }: typeof before) => [
    (await admin()('POST', '/auth/login', { email, password })).status,
    (await call('POST', '/auth/login', { email: portal.email, password: portal.password })).status,
  ];
  expect(await signIn(after)).toEqual([401, 401]);
  await sweep(rotating);
  expect(await signIn(after)).toEqual([200, 200]);
  expect(await signIn(before)).toEqual([401, 401]);
});

it('the renewal leaves a hash alone whose pepper nobody knows, and goes on past it', async () => {
  const { before, after, rotating, system } = fleet;
  const lost = await before.make.admin();
  const kept = await before.make.admin();
  const { passwordHash } = await system.db.adminUser.findUniqueOrThrow({
    where: { id: lost.adminId },
  });
  const strange = passwordHash.replace(/^v1\.[^.]+/u, 'v1.stranger');
  await system.db.adminUser.update({
    where: { id: lost.adminId },
    data: { passwordHash: strange },
  });
  await sweep(rotating);
  const { email, password } = kept;
  expect(await after.admin()('POST', '/auth/login', { email, password })).toMatchObject({
    status: 200,
  });
  const now = await system.db.adminUser.findUniqueOrThrow({ where: { id: lost.adminId } });
  expect(now.passwordHash).toBe(strange);
});

it('the renewal keeps a PAN and an Aadhaar of one account when the old key is gone', async () => {
  const { before, rotating, after, system } = fleet;
  const given = { pan: numbers.pan(), aadhaar: numbers.aadhaar() };
  const one = await before.make.customer();
  expect(await before.kyc.submit(one, given)).toMatchObject({ status: 200 });
  // As a version of before has left it.
  await system.db.kycRecord.updateMany({ where: { userId: one.userId }, data: { hashKey: null } });
  await sweep(rotating);
  const two = await after.make.customer();
  const second = await after.kyc.submit(two, { pan: given.pan });
  expect(second).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
  const third = await after.kyc.submit(two, { aadhaar: given.aadhaar });
  expect(third).toMatchObject({ status: 409, code: 'KYC_DUPLICATE' });
});

it('the renewal leaves nothing that an old key made, and nothing to do in the next round', async () => {
  const { before, rotating, system } = fleet;
  await before.kyc.submit(await before.make.customer());
  const gone = await before.make.customer();
  await before.kyc.submit(gone);
  await system.vault.destroyUser(system.db, gone.userId);
  await sweep(rotating);
  const { keyId } = rotating.system.blindIndex;
  const users = await system.db.user.findMany();
  expect(users.length).toBeGreaterThan(2);
  for (const { phone, phoneHash, phoneHashKey } of users) {
    expect(phoneHash).toBe(rotating.system.blindIndex('phone', phone ?? ''));
    expect(phoneHashKey).toBe(keyId);
  }
  const records = await system.db.kycRecord.findMany();
  expect(new Set(records.map(({ hashKey }) => hashKey))).toEqual(new Set([keyId]));
  const orderBy = { id: 'asc' } as const;
  const rows = () =>
    Promise.all([system.db.user.findMany({ orderBy }), system.db.kycRecord.findMany({ orderBy })]);
  const once = await rows();
  await sweep(rotating);
  expect(await rows()).toEqual(once);
});

it('the renewal keeps a bank account from being added twice', async () => {
  const money = await openPayouts();
  onTestFinished(() => money.close());
  const { userId, call } = await money.customer();
  const body = { accountNumber: '918273645518', ifsc: 'HDFC0000053', holderName: 'Asha Rao' };
  const replicaWith = async (keys: string) => {
    const { banking } = money.replica(undefined, { blindIndex: createBlindIndex(keys) });
    const routes = banking.customerRoutes;
    const url = await money.system.serve({ prefix: '/v1', routes, guard: idGuard });
    return { banking, call: bearerCaller(url, userId) };
  };
  expect(await call('POST', '/bank-accounts', body)).toMatchObject({ status: 201 });
  const refused = { status: 409, code: 'BANK_ACCOUNT_DUPLICATE' };
  const old = 'dev-only-blind-index-key-of-32-chars';
  const rotating = await replicaWith(`${keyOf('new')},${old}`);
  expect(await rotating.call('POST', '/bank-accounts', body)).toMatchObject(refused);
  await runSweeps(rotating.banking.sweeps, 'banking-rehash-accounts');
  const after = await replicaWith(keyOf('new'));
  expect(await after.call('POST', '/bank-accounts', body)).toMatchObject(refused);
  expect(await money.system.db.bankAccount.count({ where: { userId } })).toBe(1);
});
