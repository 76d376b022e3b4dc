import { describe, expect } from 'vitest';
import type { Answer } from '#test/support/caller.ts';
import { customerApiTest } from '#test/support/customer-api-test.ts';
import type { OpenCustomerApi, SignedInPerson } from '#test/support/open-customer-api.ts';

const it = customerApiTest();

const daySeconds = 24 * 60 * 60;

const remove = async (open: OpenCustomerApi, { call, phone }: SignedInPerson): Promise<Answer> => {
  expect((await call('POST', '/users/me/deletion/request')).status).toBe(200);
  const otp = await open.codeOf(phone);
  return call('POST', '/users/me/deletion/confirm', { otp, confirmation: 'DELETE' });
};

/** Inserts an unpaid installment of a cancelled plan, whose debit the gateway has accepted. */
const insertDebited = async (
  { system: { db, clock } }: OpenCustomerApi,
  { userId }: SignedInPerson,
  status: 'FAILED' | 'EXPIRED',
): Promise<void> => {
  const at = clock.now();
  const common = { userId, createdAt: at, updatedAt: at };
  const plan = await db.sipPlan.create({
    data: {
      ...common,
      id: crypto.randomUUID(),
      status: 'CANCELLED',
      amountPaise: 100_000n,
      frequency: 'MONTHLY',
      durationInstallments: 12,
      installmentsRaised: 1,
      startDate: at,
      cancelledAt: at,
    },
  });
  const order = await db.goldOrder.create({
    data: {
      ...common,
      id: crypto.randomUUID(),
      type: 'SIP_INSTALLMENT',
      status: 'FAILED',
      unit: 'INR',
      amountPaise: 100_000n,
      sipPlanId: plan.id,
      installmentNo: 1,
      dueAt: at,
    },
  });
  for (const [fromStatus, toStatus] of [
    [null, 'PENDING'],
    ['PENDING', 'FAILED'],
  ] as const) {
    const id = crypto.randomUUID();
    const event = {
      id,
      orderId: order.id,
      fromStatus,
      toStatus,
      cause: 'test',
      actor: 'worker',
      at,
    };
    await db.goldOrderEvent.create({ data: event });
  }
  await db.paymentOrder.create({
    data: {
      ...common,
      id: crypto.randomUUID(),
      orderId: order.id,
      gateway: 'sandbox',
      gatewayOrderId: `order-${order.id}`,
      amountPaise: 100_000n,
      status,
      expiresAt: at,
      debitDueAt: at,
      debitStatus: 'ACCEPTED',
      debitRequestedAt: at,
      mandateTokenSealed: 'x',
    },
  });
};

describe('a deletion after a debit of a mandate', () => {
  it('is possible after the debit failed', async ({ open }) => {
    const person = await open.knownPerson();
    await insertDebited(open, person, 'FAILED');
    expect(await remove(open, person)).toMatchObject({ status: 200 });
  });

  it("is refused while the debit's outcome is unknown and still polled", async ({ open }) => {
    const person = await open.knownPerson();
    await insertDebited(open, person, 'EXPIRED');
    expect(await remove(open, person)).toMatchObject({ status: 409, code: 'ACCOUNT_BUSY' });
    await open.system.advance(3 * daySeconds);
    const [{ accessToken }] = [(await open.signIn(person.phone)).body];
    const call = open.as(String(accessToken));
    expect(await remove(open, { ...person, call })).toMatchObject({ status: 200 });
  });
});
