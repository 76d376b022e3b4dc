import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearerCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import { openAdminApi, type OpenAdminApi } from '#test/support/open-admin-api.ts';
import { fillDatabase } from './fill-database.ts';

let open: OpenAdminApi;
let operator: Caller;
beforeAll(async () => {
  open = await openAdminApi();
  const { system, url } = open;
  const span = { from: new Date('2025-01-01T00:00:00Z'), to: new Date('2026-10-01T00:00:00Z') };
  const series = { series: 3, orders: 600, users: 120, ...span };
  await fillDatabase(system.addresses.migrateUrl, series, system.env);
  operator = bearerCaller(url, (await createFactories(system).admin('SUPER_ADMIN')).token);
});
afterAll(() => open.close());

it('lets operators open every customer, deleted ones too', async () => {
  const users = await open.system.db.user.findMany({ select: { id: true } });
  const statuses = await Promise.all(
    users.map(async ({ id }) => (await operator('GET', `/users/${id}`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
});

it('lets operators find a customer by phone, as the service hashes it', async () => {
  const { db, blindIndex } = open.system;
  const user = await db.user.findFirstOrThrow({ where: { phone: { not: null } } });
  const phone = String(user.phone);
  expect(user.phoneHash).toBe(blindIndex('phone', phone));
  const found = await operator('GET', `/users?q=${encodeURIComponent(phone)}`);
  expect(found.body).toMatchObject({ total: 1, items: [{ id: user.id }] });
});

it.each(['APPROVED', 'SUBMITTED', 'REJECTED'])('lets operators open KYC %s', async (status) => {
  const { id, panHash } = await open.system.db.kycRecord.findFirstOrThrow({ where: { status } });
  expect(panHash).toMatch(/^[\w-]{43}$/u);
  const { body } = await operator('GET', `/kyc/${id}`);
  expect(body).toMatchObject({ id, status, fullName: expect.stringMatching(/^Customer \d+$/u) });
});

it('lets operators open the address of an order of jewellery', async () => {
  const { id } = await open.system.db.productOrder.findFirstOrThrow();
  const { body } = await operator('GET', `/product-orders/${id}`);
  expect(body).toMatchObject({ id, shippingAddress: { city: 'Bengaluru', pincode: '560001' } });
});
