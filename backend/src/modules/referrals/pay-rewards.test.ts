import { describe, expect } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { reviewTest } from '#test/support/review-test.ts';
import { operatorId, type ReviewedBuys } from '#test/support/reviewed-buys.ts';
import { addMs } from '../../platform/clock/clock.ts';

const it = reviewTest();
it.beforeAll(async ({ open }) => {
  const at = open.clock.now();
  const email = 'finance@example.test';
  const stamps = { createdAt: at, updatedAt: at };
  await open.database.db.adminUser.create({
    data: { id: operatorId, email, passwordHash: '-', role: 'SUPER_ADMIN', ...stamps },
  });
});

const path = '/referrals/rewards';
const ask = (open: OpenGold, method: string, at: string, body?: object) =>
  bearerCaller(open.operatorUrl, operatorId)(method, `${path}${at}`, body);

const weekMs = 7 * 86_400_000;
const passWeek = async (open: OpenGold): Promise<void> => {
  open.clock.set(addMs(open.clock.now(), weekMs));
  await open.settleRewards.run(new AbortController().signal);
};

/** Makes a referrer earn a reward, and returns the reward with the payment of the buy. */
const earnReward = async (open: OpenGold, buys: ReviewedBuys) => {
  const referrer = await open.newCustomer();
  const { code } = (await referrer.call('GET', '/referrals/me')).body;
  const buy = await buys.place();
  expect((await buy.call('POST', '/referrals/apply', { code })).status).toBe(200);
  const paymentId = await buys.pay(buy);
  await buys.becomes(buy, 'PAID');
  await open.allocate(buy.id);
  await passWeek(open);
  const { body } = await ask(open, 'GET', `?userId=${referrer.id}`);
  // The response was checked against its schema.
  const [reward] = body['items'] as { id: string; status: string }[];
  expect(reward).toMatchObject({ status: 'EARNED', rewardPaise: 5000, refereeUserId: buy.userId });
  return { referrer, buy, paymentId, id: reward?.id ?? '' };
};

const statusOf = async (open: OpenGold, id: string) =>
  (await ask(open, 'GET', `/${id}`)).body['status'];

const refused = { status: 409, code: 'ILLEGAL_TRANSITION' };

describe('a reward', () => {
  it('is approved and then paid once, with the operators who did so', async ({ open, buys }) => {
    const { id, referrer } = await earnReward(open, buys);
    expect(await ask(open, 'POST', `/${id}/paid`, { reference: 'UTR1' })).toMatchObject(refused);
    const approved = await ask(open, 'POST', `/${id}/approve`);
    expect(approved).toMatchObject({
      status: 200,
      body: { status: 'APPROVED', approvedBy: operatorId, paidAt: null },
    });
    expect(await ask(open, 'POST', `/${id}/approve`)).toMatchObject(refused);
    expect((await ask(open, 'POST', `/${id}/paid`, {})).status).toBe(400);
    const answers = await Promise.all(
      ['UTR1', 'UTR2'].map((reference) => ask(open, 'POST', `/${id}/paid`, { reference })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const paid = await ask(open, 'GET', `/${id}`);
    expect(paid.body).toMatchObject({
      status: 'PAID',
      paidBy: operatorId,
      paymentReference: expect.stringMatching(/^UTR[12]$/u),
    });
    const audit = await open.database.db.auditLog.findMany({
      where: { targetId: id },
      orderBy: { seq: 'asc' },
    });
    expect(audit.map(({ action }) => action)).toEqual([
      'referral-reward.approve',
      'referral-reward.paid',
    ]);
    const own = await referrer.call('GET', '/referrals/rewards');
    expect(own.body.items).toMatchObject([{ status: 'PAID', rewardPaise: 5000 }]);
  });

  it('is reversed by a reversed payment before it is paid, but not afterwards', async ({
    open,
    buys,
  }) => {
    const early = await earnReward(open, buys);
    await ask(open, 'POST', `/${early.id}/approve`);
    await buys.loseDispute(early.paymentId);
    await buys.becomes(early.buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    // The approval is also refused before the sweep has run.
    const late = await ask(open, 'POST', `/${early.id}/paid`, { reference: 'UTR3' });
    expect(late).toMatchObject(refused);
    await passWeek(open);
    expect(await statusOf(open, early.id)).toBe('REVERSED');
    expect(await ask(open, 'POST', `/${early.id}/approve`)).toMatchObject(refused);

    const paid = await earnReward(open, buys);
    await ask(open, 'POST', `/${paid.id}/approve`);
    await ask(open, 'POST', `/${paid.id}/paid`, { reference: 'UTR4' });
    await buys.loseDispute(paid.paymentId);
    await buys.becomes(paid.buy, 'MANUAL_REVIEW', 'PAYMENT_REVERSED');
    await passWeek(open);
    expect(await statusOf(open, paid.id)).toBe('PAID');
  });

  it('loses its approval when an operator withdraws it', async ({ open, buys }) => {
    const { id } = await earnReward(open, buys);
    await ask(open, 'POST', `/${id}/approve`);
    const withdrawn = await ask(open, 'POST', `/${id}/withdraw`);
    expect(withdrawn.body).toMatchObject({ status: 'EARNED', approvedBy: null, approvedAt: null });
    expect(await ask(open, 'POST', `/${id}/withdraw`)).toMatchObject(refused);
    expect((await ask(open, 'POST', `/${operatorId}/approve`)).status).toBe(404);
  });

  it('is in the file for finance while it is approved and not paid', async ({ open, buys }) => {
    const { id, referrer, buy } = await earnReward(open, buys);
    const file = async (): Promise<string[]> => {
      const headers = { authorization: `Bearer ${operatorId}` };
      const answer = await fetch(`${open.operatorUrl}${path}/file`, { headers });
      expect(answer.headers.get('content-type')).toContain('text/csv');
      return (await answer.text()).split('\r\n');
    };
    expect((await file()).join('\n')).not.toContain(id);
    await ask(open, 'POST', `/${id}/approve`);
    const [header = '', ...lines] = await file();
    const cells = lines.find((line) => line.startsWith(id))?.split(',') ?? [];
    expect(cells).toHaveLength(header.split(',').length);
    expect(cells.slice(1, 6)).toEqual(['APPROVED', referrer.id, buy.userId, buy.id, '50.00']);
    expect(cells[8]).toBe('finance@example.test');
    const exports = await open.database.db.auditLog.count({
      where: { action: 'referral-reward.export' },
    });
    expect(exports).toBe(2);
  });
});
