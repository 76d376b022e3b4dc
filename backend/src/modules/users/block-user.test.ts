import { inspect } from 'node:util';
import { describe, expect } from 'vitest';
import type { Answer } from '#test/support/caller.ts';
import { customerApiTest } from '#test/support/customer-api-test.ts';
import { eventually } from '#test/support/eventually.ts';
import { lockRows, untilBlocked } from '#test/support/lock-rows.ts';
import type { OpenCustomerApi, SignedInPerson } from '#test/support/open-customer-api.ts';

const it = customerApiTest();

const reason = 'Reported by Zubeida as stolen phone';
const change = (open: OpenCustomerApi, userId: string, body: object) =>
  open.operatorAs('ADMIN')('PATCH', `/users/${userId}/block`, body);
const block = (open: OpenCustomerApi, userId: string) =>
  change(open, userId, { blocked: true, reason });
const unblock = (open: OpenCustomerApi, userId: string) => change(open, userId, { blocked: false });
const detailsOf = ({ body }: Answer): unknown => Object(body['error'])['details'];
const me = async ({ call }: SignedInPerson): Promise<number> =>
  (await call('GET', '/users/me')).status;

const holdUser = (open: OpenCustomerApi, userId: string) => {
  const sql = 'SELECT 1 FROM app_user WHERE id = $1::uuid FOR UPDATE';
  return lockRows(open.system.addresses.migrateUrl, sql, [userId]);
};

/** Makes every credential that a customer can sign in with. Returns functions that try each of them. */
const signInWays = async (open: OpenCustomerApi, { phone, call, refreshToken }: SignedInPerson) => {
  await call('POST', '/auth/set-mpin', { mpin: '4829' });
  const { body } = await call('POST', '/auth/biometric-token', {});
  const { db } = open.system;
  const { deviceId } = await db.session.findFirstOrThrow({ where: { user: { phone } } });
  const biometric = { phone, deviceId, biometricToken: body['biometricToken'] };
  const post = (path: string, sent: object) => open.as()('POST', `/auth/${path}`, sent);
  return {
    code: () => open.signIn(phone),
    mpin: () => post('login-mpin', { phone, mpin: '4829' }),
    biometric: () => post('login-biometric', biometric),
    refresh: () => post('refresh', { refreshToken }),
  };
};

describe('a blocked customer', () => {
  it('is refused from the next request on, and by every way of signing in', async ({ open }) => {
    const person = await open.person();
    const ways = await signInWays(open, person);
    expect(await me(person)).toBe(200);
    const answer = await block(open, person.userId);
    expect(answer).toMatchObject({ status: 200, body: { blocked: true, blockedReason: reason } });
    await open.system.redis.flushall();
    expect(await me(person)).toBe(401);
    expect(await ways.code()).toMatchObject({ status: 401, code: 'ACCOUNT_UNAVAILABLE' });
    expect(await ways.mpin()).toMatchObject({ status: 401, code: 'ACCOUNT_UNAVAILABLE' });
    expect(await ways.biometric()).toMatchObject({ status: 401 });
    expect(await ways.refresh()).toMatchObject({ status: 401 });
  });

  it('signs in again after the block, while revoked credentials stay revoked', async ({ open }) => {
    const person = await open.person();
    const ways = await signInWays(open, person);
    await block(open, person.userId);
    const ended = await unblock(open, person.userId);
    await open.system.redis.flushall();
    expect(ended).toMatchObject({ status: 200, body: { blocked: false, blockedReason: null } });
    expect(await me(person)).toBe(401);
    expect(await ways.refresh()).toMatchObject({ status: 401, code: 'INVALID_REFRESH_TOKEN' });
    expect(await ways.biometric()).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' });
    const { status, body } = await ways.code();
    expect(status).toBe(200);
    expect((await open.as(String(body['accessToken']))('GET', '/users/me')).status).toBe(200);
    expect((await ways.mpin()).status).toBe(200);
    expect(await me(person)).toBe(401);
  });

  it('loses the session of a sign-in that was in progress', async ({ open }) => {
    const person = await open.person();
    const { migrateUrl } = open.system.addresses;
    const held = await holdUser(open, person.userId);
    const signedIn = open.signIn(person.phone);
    await untilBlocked(migrateUrl, 1);
    const blocked = block(open, person.userId);
    await untilBlocked(migrateUrl, 2);
    await held.release();
    const [{ body }, { status }] = await Promise.all([signedIn, blocked]);
    expect(status).toBe(200);
    expect((await open.as(String(body['accessToken']))('GET', '/users/me')).status).toBe(401);
    const where = { userId: person.userId, revokedAt: null };
    expect(await open.system.db.session.count({ where })).toBe(0);
  });

  it('still gets the paid gold, and the money of a sale', async ({ open }) => {
    const person = await open.knownPerson();
    await open.buy(person, '2000');
    const body = { unit: 'INR', amount: '1000', idempotency_key: `blocked-buy-${person.userId}` };
    const placed = await person.call('POST', '/gold/buy', body);
    const orderId = String(Object(placed.body['order'])['id']);
    const gatewayOrderId = String(Object(placed.body['payment'])['gateway_order_id']);
    const sale = {
      unit: 'GRAMS',
      amount: '0.05',
      bank_account_id: person.bankAccountId,
      idempotency_key: `blocked-sale-${person.userId}`,
    };
    const sold = await person.call('POST', '/gold/sell', sale);
    await block(open, person.userId);
    const { sandbox, db } = open.system;
    await sandbox.control('POST', `/payments/${gatewayOrderId}`, { outcome: 'captured' });
    await open.drain();
    const payoutId = String(Object(sold.body['payout'])['id']);
    await sandbox.control('POST', `/payouts/${payoutId}`, { outcome: 'processed' });
    await eventually(async () => {
      await open.drain();
      const order = await db.goldOrder.findUniqueOrThrow({ where: { id: orderId } });
      const payout = await db.payout.findUniqueOrThrow({ where: { id: payoutId } });
      return order.status === 'ALLOCATED' && payout.status === 'PAID';
    });
    expect(await db.goldOrder.count({ where: { userId: person.userId, status: 'FAILED' } })).toBe(
      0,
    );
  });
});

describe('the route', () => {
  it('needs a reason to block, and an existing customer', async ({ open }) => {
    const { userId } = await open.person();
    for (const body of [{ blocked: true }, { blocked: true, reason: '  ' }]) {
      expect(await change(open, userId, body)).toMatchObject({ status: 400, field: 'reason' });
    }
    expect(await change(open, userId, { reason })).toMatchObject({ status: 400, field: 'blocked' });
    expect(await block(open, open.system.random.uuid())).toMatchObject({ status: 404 });
    expect(await block(open, 'rubbish')).toMatchObject({ status: 404 });
  });

  it('answers 409 with the state if it is already the same, and for a deleted account', async ({
    open,
  }) => {
    const { userId } = await open.person();
    const refused = { status: 409, code: 'ILLEGAL_TRANSITION' };
    const early = await unblock(open, userId);
    expect(early).toMatchObject(refused);
    expect(detailsOf(early)).toEqual({ blocked: false });
    await block(open, userId);
    const again = await block(open, userId);
    expect(again).toMatchObject(refused);
    expect(detailsOf(again)).toEqual({ blocked: true });

    const deleted = await open.person();
    await deleted.call('POST', '/users/me/deletion/request');
    const confirmation = { otp: await open.codeOf(deleted.phone), confirmation: 'DELETE' };
    await deleted.call('POST', '/users/me/deletion/confirm', confirmation);
    for (const answer of [await block(open, deleted.userId), await unblock(open, deleted.userId)]) {
      expect(answer).toMatchObject(refused);
      expect(detailsOf(answer)).toMatchObject({ blocked: false, deletedAt: expect.any(String) });
    }
  });

  it('blocks once by many concurrent requests, with one audit row, whose personal part is sealed', async ({
    open,
  }) => {
    const { userId } = await open.person();
    const held = await holdUser(open, userId);
    const blocks = Array.from({ length: 4 }, () => block(open, userId));
    await untilBlocked(open.system.addresses.migrateUrl, 4);
    await held.release();
    const answers = await Promise.all(blocks);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
    await unblock(open, userId);
    const { db } = open.system;
    const rows = await db.auditLog.findMany({
      where: { targetType: 'user', targetId: userId },
      orderBy: { seq: 'asc' },
    });
    expect(rows).toMatchObject([
      {
        action: 'user.block',
        before: { blocked: false },
        after: { blocked: true, endedSessions: 1 },
        sealedForUserId: userId,
        actorRole: 'ADMIN',
      },
      { action: 'user.unblock', before: { blocked: true }, after: { blocked: false } },
    ]);
    expect(inspect(rows, { depth: null })).not.toContain('Zubeida');
    const stored = await db.user.findUniqueOrThrow({ where: { id: userId } });
    expect(JSON.stringify(stored)).not.toContain('Zubeida');
    expect(open.system.logged()).not.toContain('Zubeida');
  });

  it('is for a SUPER_ADMIN or an ADMIN', async ({ open }) => {
    const { userId } = await open.person();
    const body = { blocked: true, reason };
    const path = `/users/${userId}/block`;
    expect(await open.operatorAs('SUPPORT')('PATCH', path, body)).toMatchObject({ status: 403 });
    expect(await open.operatorAs('SUPER_ADMIN')('PATCH', path, body)).toMatchObject({
      status: 200,
    });
  });
});
