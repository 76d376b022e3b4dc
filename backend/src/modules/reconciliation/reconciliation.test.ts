import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../generated/prisma/client.ts';
import { createFactories } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { createRead } from './create-read.ts';
import { checkIds, createReconciliation } from './index.ts';

let books: OpenBooks;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books.close());

/** Returns the status of each check whose status is not OK. */
const notOk = async (): Promise<Record<string, string>> => {
  const checks = await books.freshChecks();
  return Object.fromEntries(
    [...checks.values()]
      .filter(({ status }) => status !== 'OK')
      .map(({ id, status }) => [id, status]),
  );
};

describe('the route', () => {
  it.each(['SUPER_ADMIN', 'ADMIN', 'SUPPORT'] as const)('is for %s', async (role) => {
    const call = await books.operator(role);
    const { status, body } = await call('GET', '/reconciliation');
    expect(status).toBe(200);
    const ids = (body['checks'] as { id: string }[]).map(({ id }) => id);
    expect(ids).toEqual(checkIds);
    expect(body['generatedAt']).toBe(books.system.clock.now().toISOString());
  });

  it('is for nobody else', async () => {
    const { token } = await createFactories(books.system).customer();
    expect((await books.reportAs(undefined)).status).toBe(401);
    expect((await books.reportAs(token)).status).toBe(401);
  });

  it.each([
    [undefined, 72],
    [1, 1],
    [0, 1],
    [-5, 1],
    [24, 24],
    [720, 720],
    [721, 720],
    ['99999999999999999999999', 720],
    ['007', 7],
  ])('takes a window of %s hours as %i', async (asked, windowHours) => {
    expect((await books.report(asked)).body).toMatchObject({ windowHours });
  });

  it.each(['', 'x', '1.5', '72.0', '1e2', '0x10', ' 5', '+5', '٣', 'NaN'])(
    'refuses a window of "%s" hours',
    async (asked) => {
      const field = 'window_hours';
      expect(await books.report(asked)).toMatchObject({
        status: 400,
        code: 'VALIDATION_FAILED',
        field,
      });
    },
  );
});

describe('a report', () => {
  beforeAll(async () => {
    await books.buy();
    await books.sell();
  });

  it('keeps to its limits, and says that it did not check everything', async () => {
    const limits = { maxRequests: 1, concurrency: 3, withinMs: 5000 };
    const gateways = new Map(
      [...books.deps.gateways].map(([code, { account: _lists, ...gateway }]) => [code, gateway]),
    );
    const reconciliation = createReconciliation({ ...books.deps, gateways, limits });
    const { checks } = await reconciliation.report(72);
    const incomplete = checks.filter(({ status }) => status === 'ERROR');
    expect(incomplete.map(({ id }) => id)).toEqual([
      'gateway_capture_missing',
      'provider_transaction_mismatch',
    ]);
    for (const { detail } of incomplete) {
      expect(detail).toMatch(/^checked 1 of \d+: choose a shorter window$/u);
    }
  });

  it('is made once for concurrent requests', async () => {
    const reconciliation = createReconciliation(books.deps);
    const report = (hours: number) => reconciliation.report(hours);
    const [one, other, shorter] = await Promise.all([report(72), report(72), report(24)]);
    expect(other).toBe(one);
    expect(shorter).not.toBe(one);
    expect(await report(72)).not.toBe(one);
  });

  it('has ERROR for a check that cannot read the database, and the other checks run', async () => {
    await books.asOwner('REVOKE SELECT ON audit_log FROM dgs_app');
    expect(await notOk()).toEqual({ payout_over_cap_unapproved: 'ERROR' });
    await books.asOwner('GRANT SELECT ON audit_log TO dgs_app');
    expect(await notOk()).toEqual({});
  });

  it('cannot write', async () => {
    const read = createRead(books.system.inTransaction);
    const write = Prisma.sql`UPDATE holding SET balance = 0 RETURNING user_id`;
    await expect(read(write)).rejects.toThrow(/read-only transaction/u);
  });

  it('ends a statement that takes too long', async () => {
    const read = createRead(books.system.inTransaction, 50);
    await expect(read(Prisma.sql`SELECT pg_sleep(5)::text`)).rejects.toThrow(/statement timeout/u);
  });

  it('ignores rows before its window, except open ones', async () => {
    const bought = await books.buy();
    const wrongAmount = await books.place(await books.customer());
    await books.pay(wrongAmount, { amountPaise: 99_900 });
    const paid = await books.place(await books.customer());
    await books.pay(paid);
    await eventually(async () => expect(await books.statusOf(paid.orderId)).toBe('PAID'));
    await eventually(async () =>
      expect(await books.statusOf(wrongAmount.orderId)).toBe('MANUAL_REVIEW'),
    );
    await books.asOwner(
      'UPDATE payment_order SET amount_paise = amount_paise + 1 WHERE id = $1',
      bought.paymentOrderId,
    );
    await books.advance(30 * 60 * 60);
    const found = async (windowHours: number) => {
      const { checks } = await createReconciliation(books.deps).report(windowHours);
      return checks.filter(({ status }) => status !== 'OK').map(({ id }) => id);
    };
    const open = ['captured_not_allocated', 'payout_stuck', 'manual_review_open'];
    expect(await found(24)).toEqual(open);
    expect(await found(48)).toEqual([open[0], 'payment_amount_mismatch', ...open.slice(1)]);
  });
});
