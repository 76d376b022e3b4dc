import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCustomerApi, type OpenCustomerApi } from '#test/support/open-customer-api.ts';

let api: OpenCustomerApi;
beforeAll(async () => {
  api = await openCustomerApi();
});
afterAll(() => api.close());

const support = (path: string) => api.operatorAs('SUPPORT')('GET', path);

describe('GET /users/:id', () => {
  it('shows a customer with their data, and at most four digits of each number', async () => {
    const person = await api.knownPerson();
    const { userId, phone, fullName, email, accountNumber } = person;
    await api.buy(person, '2000');
    const { db } = api.system;
    const stored = await db.user.findUniqueOrThrow({ where: { id: userId } });
    const { status, body } = await support(`/users/${userId}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: userId,
      phone,
      full_name: fullName,
      email,
      referralCode: stored.referralCode,
      kycStatus: 'APPROVED',
      mpinSet: false,
      createdAt: stored.createdAt.toISOString(),
      blocked: false,
      blockedReason: null,
      providerUserId: stored.providerUserId,
      deletedAt: null,
      holding: expect.objectContaining({ reserved: '0.0000', investedPaise: 200_000 }),
      kyc: expect.objectContaining({ status: 'APPROVED', userId, panLast4: person.pan.slice(-4) }),
      bankAccounts: [
        expect.objectContaining({ accountLast4: '4321', status: 'VERIFIED', holderName: fullName }),
      ],
      securityEvents: [
        expect.objectContaining({ kind: 'bank_account_added', ip: '127.0.0.1', count: 1 }),
        expect.objectContaining({ kind: 'device_signed_in' }),
      ],
      referralRewards: [],
      plans: [],
    });
    const text = JSON.stringify(body);
    expect(text).not.toContain(person.pan);
    expect(text).not.toContain(person.aadhaar);
    expect(text).not.toContain(accountNumber);
    expect(text).not.toMatch(/hash|sealed/iu);
  });

  it('shows a customer who has given only a phone', async () => {
    const { userId } = await api.person();
    const { body } = await support(`/users/${userId}`);
    expect(body).toMatchObject({ full_name: null, kycStatus: 'PENDING', kyc: null });
    expect(body).toMatchObject({ bankAccounts: [], holding: { balance: '0.0000' } });
  });

  it('shows a reward of a referrer', async () => {
    const [referrer, referee] = [await api.person(), await api.person()];
    const { body: mine } = await referrer.call('GET', '/referrals/me');
    await referee.call('POST', '/referrals/apply', { code: mine['code'] });
    const { body } = await support(`/users/${referrer.userId}`);
    expect(body['referralRewards']).toMatchObject([{ status: 'PENDING', rewardPaise: null }]);
  });

  it('shows a deleted customer as a tombstone without personal data', async () => {
    const person = await api.knownPerson();
    await person.call('POST', '/users/me/deletion/request');
    const otp = await api.codeOf(person.phone);
    await person.call('POST', '/users/me/deletion/confirm', { otp, confirmation: 'DELETE' });
    const { status, body } = await support(`/users/${person.userId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: person.userId,
      phone: null,
      full_name: null,
      email: null,
      deletedAt: expect.any(String),
      kyc: { fullName: null, panLast4: null, aadhaarLast4: null, pincode: null },
      bankAccounts: [],
    });
    const listed = await support(`/users?q=${person.userId}`);
    expect(listed.body).toMatchObject({ total: 1, items: [{ id: person.userId, phone: null }] });
    for (const known of [person.phone, person.email, person.fullName]) {
      const found = await support(`/users?q=${encodeURIComponent(known)}`);
      expect(found.body).toMatchObject({ total: 0, items: [] });
    }
  });

  it('answers 404 for an unknown and an invalid id', async () => {
    for (const id of [api.system.random.uuid(), 'rubbish']) {
      expect(await support(`/users/${id}`)).toMatchObject({ status: 404 });
    }
  });
});

describe('GET /users', () => {
  it('filters by block and KYC, which may be combined', async () => {
    const [free, blocked] = [await api.knownPerson(), await api.knownPerson()];
    const reason = 'fraud';
    await api.operator('PATCH', `/users/${blocked.userId}/block`, { blocked: true, reason });
    const idsOf = async (query: string): Promise<string[]> => {
      const { status, body } = await support(`/users?limit=100&${query}`);
      expect(status).toBe(200);
      const items = body['items'] as { id: string }[]; // its own view
      expect(body['total']).toBe(items.length);
      return items.map(({ id }) => id);
    };
    expect(await idsOf('blocked=true')).toEqual([blocked.userId]);
    expect(await idsOf('blocked=true&kycStatus=APPROVED')).toEqual([blocked.userId]);
    expect(await idsOf('blocked=true&kycStatus=PENDING')).toEqual([]);
    const [pending, approved] = [
      await idsOf('kycStatus=PENDING'),
      await idsOf('kycStatus=APPROVED'),
    ];
    expect(approved).toContain(free.userId);
    expect(pending).not.toContain(free.userId);
    expect(await idsOf('blocked=false&kycStatus=APPROVED')).toEqual(
      approved.filter((id) => id !== blocked.userId),
    );
    const everybody = await idsOf('page=1');
    expect(everybody.toSorted()).toEqual([...pending, ...approved].toSorted());
    expect((await support('/users?blocked=true')).body['items']).toMatchObject([
      { blocked: true, blockedReason: reason },
    ]);
  });

  it.each(['blocked=yes', 'kycStatus=approved', 'q=', 'q=%20', `q=${'x'.repeat(101)}`, 'limit=0'])(
    'refuses ?%s',
    async (query) => {
      expect(await support(`/users?${query}`)).toMatchObject({ status: 400 });
    },
  );
});
