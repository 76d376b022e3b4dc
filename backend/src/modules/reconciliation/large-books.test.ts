import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { fillDatabase } from '../../../dev/fill/fill-database.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { fromSafeBps } from '../../money/index.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { allChecks } from './checks/all-checks.ts';
import { createRead } from './create-read.ts';
import type { CheckContext, Read } from './reconciliation.types.ts';

/** The sizes of the old books. One more customer buys and sells today. */
const [orders, users] = [30_000, 3000];
const dayMs = 24 * 60 * 60_000;
const windowMs = 72 * 60 * 60_000;

let books: OpenBooks;
beforeAll(async () => {
  books = await openBooks();
  const { addresses, clock } = books.system;
  const [from, to] = [addMs(clock.now(), -400 * dayMs), addMs(clock.now(), -31 * dayMs)];
  await fillDatabase(addresses.migrateUrl, { series: 1, orders, users, from, to });
  await books.sell();
});
afterAll(() => books.close());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}
const planNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    Plans: z.array(planNode).optional(),
  }),
);
const planRows = z.array(z.object({ 'QUERY PLAN': z.array(z.object({ Plan: planNode })) }));

/** The tables with a row for each order or customer. */
const largeTables: ReadonlySet<string> = new Set([
  'gold_order',
  'gold_order_event',
  'gold_quote',
  'provider_operation',
  'payment_order',
  'gateway_payment',
  'webhook_event',
  'holding_movement',
  'holding',
]);

/** Returns the large tables that a plan reads entirely. */
const scannedBy = (node: PlanNode): string[] => {
  const table = node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? '') : '';
  const below = (node.Plans ?? []).flatMap(scannedBy);
  return largeTables.has(table) ? [table, ...below] : below;
};

/** Counts the failed payouts of the books that were not retried, since they are findings. */
const countLeftPayouts = (): Promise<number> =>
  books.system.db.payout.count({ where: { status: 'FAILED' } });

it.each(allChecks)('$id reads its window by indexes, and finds what is left', async (check) => {
  const { clock, inTransaction } = books.system;
  const { gateways, provider: goldProvider, payoutProvider } = books.services;
  const real = createRead(inTransaction);
  const scanned: string[] = [];
  let statements = 0;
  const read: Read = async (sql) => {
    const explained = planRows.parse(await real(Prisma.sql`EXPLAIN (FORMAT JSON) ${sql}`));
    const plans = explained.flatMap((row) => row['QUERY PLAN']);
    scanned.push(...plans.flatMap(({ Plan: plan }) => scannedBy(plan)));
    statements += 1;
    return real(sql);
  };
  const now = clock.now();
  const context: CheckContext = {
    read,
    now,
    from: addMs(now, -windowMs),
    priceToleranceBps: fromSafeBps(100),
    limits: { maxRequests: 1000, concurrency: 3, withinMs: 15_000 },
    gateways,
    goldProvider,
    payoutProvider,
  };
  const { count } = await check.run(context);
  expect(count).toBe(check.id === 'payout_stuck' ? await countLeftPayouts() : 0);
  expect(statements).toBeGreaterThan(0);
  expect(scanned).toEqual([]);
});

it('the reconciliation finds a drift of any customer, even if the last trade was long ago', async () => {
  await books.asOwner(
    `UPDATE holding SET balance = balance + 1, invested_paise = invested_paise + 1
     WHERE user_id = (SELECT min(id::text) FROM app_user)::uuid`,
  );
  const checks = await books.checks();
  const drifted = [...checks.values()].filter(({ count }) => count > 0);
  expect(drifted.map(({ id, count }) => ({ id, count }))).toEqual([
    { id: 'holding_balance_drift', count: 1 },
    { id: 'holding_invested_drift', count: 1 },
    { id: 'payout_stuck', count: await countLeftPayouts() },
  ]);
});
