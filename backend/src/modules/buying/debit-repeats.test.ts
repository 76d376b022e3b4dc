import { describe, expect } from 'vitest';
import { installmentTest } from '#test/support/installment-test.ts';
import type { PaymentGateway } from '../../adapters/payment-gateway/port.ts';
import {
  debitsOf,
  paymentsOf,
  rowOf,
  type InstallmentFixtures,
} from '#test/support/installments.ts';
import type { OpenGold } from '#test/support/open-gold.ts';
import { runSweeps } from '#test/support/run-sweeps.ts';
import { msBetween } from '../../platform/clock/clock.ts';
import { endOfIstDay } from '../../platform/clock/ist.ts';
import { selectOne, sql } from '../../platform/db/index.ts';

/** The behaviour of the observed gateway. `onDebit` runs at each debit. */
const behaviour: { haveKey: boolean; onDebit: (paymentOrderId: string) => Promise<void> } = {
  haveKey: true,
  onDebit: async () => {},
};
const observe = (gateway: PaymentGateway): PaymentGateway => ({
  ...gateway,
  get debitsHaveKey() {
    return behaviour.haveKey;
  },
  async debitMandate(debit) {
    if (gateway.debitMandate === undefined) throw new Error('the gateway debits no mandate');
    await behaviour.onDebit(debit.idempotencyKey);
    return gateway.debitMandate(debit);
  },
});

const it = installmentTest({
  wrap: {
    gateways: (real) =>
      new Map([...real].map(([code, gateway]) => [code, observe(gateway)] as const)),
  },
});

it.afterEach(() => {
  behaviour.haveKey = true;
  behaviour.onDebit = async () => {};
});

const sweep = (open: OpenGold) => runSweeps(open.gold.sweeps, 'buying-debit-installments');
const hourMs = 60 * 60_000;

/** Moves past midnight IST if it is near, because a debit is sent only on its own day. */
const keepAnHourOfTheDay = async (open: OpenGold): Promise<void> => {
  const now = open.clock.now();
  const leftMs = msBetween(now, endOfIstDay(now));
  if (leftMs < hourMs) await open.advance(Math.ceil(leftMs / 1000) + 1);
};

/** Creates an installment whose debit is due now. */
const createDue = async (open: OpenGold, fixtures: InstallmentFixtures) => {
  await keepAnHourOfTheDay(open);
  const mandate = { token: 'token-of-asha', dueInSeconds: 60 };
  const raised = await fixtures.raise(await fixtures.newPlan(), 1, mandate);
  await open.advance(60);
  return raised;
};

describe('a debit', () => {
  it('is leased for longer than all the calls of its gateway may take', async ({
    open,
    fixtures,
  }) => {
    const raised = await createDue(open, fixtures);
    const held: unknown[] = [];
    behaviour.onDebit = async (paymentOrderId) => {
      const row = await selectOne<{ seconds: number }>(
        open.database.db,
        sql`SELECT extract(epoch FROM lease_until - clock_timestamp())::float AS seconds
          FROM payment_order WHERE id = ${paymentOrderId}::uuid`,
      );
      held.push(row?.seconds);
    };
    await sweep(open);
    await fixtures.becomes(raised, 'PAID');
    // Razorpay needs three queries, each of which may reach its limit twice, and the request.
    const longest = 7 * 15;
    expect(held).toEqual([expect.toSatisfy((seconds: number) => seconds > longest)]);
  });

  it('is only queried while a request may be on its way to a gateway without keys', async ({
    open,
    fixtures,
  }) => {
    behaviour.haveKey = false;
    const raised = await createDue(open, fixtures);
    const passAfter = async (seconds: number): Promise<number> => {
      await open.advance(seconds);
      await sweep(open);
      return (await debitsOf(open, raised)).length;
    };
    await open.gatewayFault('debit', 'reset', { times: 2 });
    expect(await passAfter(0)).toBe(1);
    expect(await passAfter(61)).toBe(1);
    expect(await passAfter(14 * 60 - 2)).toBe(1);
    const { gatewayOrderId } = await rowOf(open, raised);
    const asked = await open.gatewayJournal('list-payments');
    expect(asked.filter(({ path }) => path.includes(String(gatewayOrderId)))).toHaveLength(2);
    expect(await passAfter(61)).toBe(2);
    // The time is counted from the last request, not from the first one.
    expect(await passAfter(14 * 60)).toBe(2);
    expect(await rowOf(open, raised)).toMatchObject({ debitStatus: 'UNKNOWN' });
    expect(await passAfter(61)).toBe(3);
    await fixtures.becomes(raised, 'PAID');
    expect(await paymentsOf(open, raised)).toBe(1);
  });

  it('is finally refused only when the last request without an answer must have arrived', async ({
    open,
    fixtures,
  }) => {
    const raised = await createDue(open, fixtures);
    const refuse = async () => {
      await open.gatewayFault('debit', 'error', { status: 400 });
      await sweep(open);
      return fixtures.statusOf(raised);
    };
    for (let request = 0; request < 2; request += 1) {
      await open.gatewayFault('debit', 'reset');
      await sweep(open);
      await open.advance(14 * 60);
    }
    // A quarter of an hour has passed since the first request, but not since the last one.
    expect(await refuse()).toBe('PENDING');
    await open.advance(61);
    expect(await refuse()).toBe('FAILED');
  });
});
