import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createFoundBy, type FoundBy } from '#test/support/found-by.ts';
import { assertInvariants } from '#test/support/invariants.ts';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { payInstallmentAgain, placeInstallment } from '../buying/index.ts';
import { ALLOCATE_TASK } from '../orders/index.ts';
import { chooseGateway } from '../payments/index.ts';
import { paise } from '../../money/index.ts';
import { findBrokenRules } from './database-rules/find-broken-rules.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';

let books: OpenBooks;
let foundBy: FoundBy;
beforeAll(async () => {
  books = await openBooks();
  foundBy = createFoundBy(books);
});
afterAll(() => books.close());

const amountPaise = paise(100_000n);

const statusOf = async (orderId: string): Promise<string> =>
  (await books.system.db.goldOrder.findUniqueOrThrow({ where: { id: orderId } })).status;

/** Raises an installment of a new plan, and opens its checkout. */
const raise = async () => {
  const { system, services } = books;
  const { userId } = await books.customer();
  const at = system.clock.now();
  const plan = { id: system.random.uuid(), userId, status: 'ACTIVE', amountPaise, startDate: at };
  const terms = { frequency: 'MONTHLY', durationInstallments: 12, installmentsRaised: 1 };
  const stamps = { createdAt: at, updatedAt: at };
  await system.db.sipPlan.create({ data: { ...plan, ...terms, ...stamps } });
  const gateway = await chooseGateway(services.paymentsDeps);
  const placed = await system.inTransaction((tx) =>
    placeInstallment(system, tx, {
      userId,
      planId: plan.id,
      installmentNo: 1,
      amountPaise,
      dueAt: at,
      gateway,
    }),
  );
  await books.drain();
  const where = { id: placed.paymentOrderId };
  const { gatewayOrderId } = await system.db.paymentOrder.findUniqueOrThrow({ where });
  return { ...placed, userId, gatewayOrderId: String(gatewayOrderId) };
};

const becomes = (orderId: string, status: string) =>
  eventually(async () => (await statusOf(orderId)) === status);

const paid = async () => {
  const raised = await raise();
  await books.control('POST', `/payments/${raised.gatewayOrderId}`, { outcome: 'captured' });
  await becomes(raised.orderId, 'PAID');
  return raised;
};

const allocated = async () => {
  const raised = await paid();
  await books.drain();
  await becomes(raised.orderId, 'ALLOCATED');
  return raised;
};

const brokenRules = async (): Promise<string[]> => {
  const { migrateUrl } = books.system.addresses;
  const found = await withConnection(migrateUrl, (client) => findBrokenRules(client));
  return found.map(({ says }) => says);
};

describe('the reconciliation of installments', () => {
  it('finds nothing in correct installments of any state', async () => {
    await raise();
    const failed = await raise();
    const fail = { outcome: 'failed' };
    await books.control('POST', `/payments/${failed.gatewayOrderId}`, fail);
    await becomes(failed.orderId, 'FAILED');
    const again = await raise();
    await books.control('POST', `/payments/${again.gatewayOrderId}`, fail);
    await becomes(again.orderId, 'FAILED');
    const gateway = await chooseGateway(books.services.paymentsDeps);
    const request = { orderId: again.orderId, userId: again.userId, gateway, requestId: 'r' };
    const { system } = books;
    const deps = { ...system, limits: books.services.limits };
    await system.inTransaction((tx) => payInstallmentAgain(deps, tx, request));
    await books.drain();
    await allocated();
    const retried = await paid();
    const fault = { collaborator: 'safegold', operation: 'buy-confirm', fault: 'error', times: 1 };
    await books.control('POST', '/faults', fault);
    await books.drain();
    expect(await statusOf(retried.orderId)).toBe('RETRY_PENDING');
    const checks = [...(await books.checks()).values()];
    expect(checks.map(({ id, status }) => `${id} ${status}`)).toEqual(
      checks.map(({ id }) => `${id} OK`),
    );
    const { databaseUrl } = books.system.addresses;
    await assertInvariants({ databaseUrl, sandboxUrl: books.system.sandbox.url });
    await books.advance(5);
    const { jobs } = books.services.gold;
    // The handler uses only its payload.
    await jobs[ALLOCATE_TASK]?.({ orderId: retried.orderId }, {} as never);
    expect(await statusOf(retried.orderId)).toBe('ALLOCATED');
  });

  it('finds another amount in the payment order, as does the database rule', async () => {
    const found = await foundBy(async () => {
      const { orderId, userId, paymentOrderId } = await allocated();
      await books.asOwner(
        'UPDATE payment_order SET amount_paise = amount_paise + 1 WHERE order_id = $1',
        orderId,
      );
      return { orderId, userId, paymentOrderId };
    });
    expect(found).toEqual(['payment_amount_mismatch']);
    expect(await brokenRules()).toContain(
      "an installment's whole amount is requested, and is gold, tax and rounding once bought",
    );
  });

  it('finds a price to the loss of the house', async () => {
    const found = await foundBy(async () => {
      const { orderId, userId } = await allocated();
      await books.asOwner(
        'UPDATE gold_order SET provider_amount_paise = amount_paise * 2 WHERE id = $1',
        orderId,
      );
      return { orderId, userId };
    });
    expect(found).toEqual(['payment_amount_mismatch']);
  });

  it('finds an installment that was paid and never allocated', async () => {
    const found = await foundBy(async () => {
      const { orderId, userId } = await paid();
      await books.asOwner(
        `UPDATE gold_order SET paid_at = paid_at - interval '16 minutes' WHERE id = $1`,
        orderId,
      );
      return { orderId, userId };
    });
    expect(found).toEqual(['captured_not_allocated']);
  });

  it('has a rule against an open checkout of a paid installment', async () => {
    const { orderId } = await allocated();
    const rule = 'the states of an installment and its payment orders agree';
    expect(await brokenRules()).not.toContain(rule);
    await books.asOwner(
      `INSERT INTO payment_order (id, user_id, order_id, gateway, amount_paise, currency, status,
         created_at, updated_at)
       SELECT gen_random_uuid(), user_id, id, 'sandbox', amount_paise, 'INR', 'CREATED', now(), now()
       FROM gold_order WHERE id = $1`,
      orderId,
    );
    expect(await brokenRules()).toContain(rule);
  });
});
