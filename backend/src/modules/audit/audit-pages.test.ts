import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createGate } from '#test/support/gate.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';
import { listAuditEntries } from './audit.store.ts';
import type { AuditEntry } from './audit.types.ts';

const count = 120;

let system: TestSystem;

const entry = (action: string): AuditEntry => ({
  action,
  actor: { api: 'system' },
  requestId: action,
});
const actionsOf = async (
  page: number,
  limit: number,
  filter: Parameters<typeof listAuditEntries>[1] = {},
) => {
  const { rows, total } = await listAuditEntries(system.db, filter, { page, limit });
  return { actions: rows.map(({ action }) => action), total };
};

/** The clock stands still, so all rows have the same time. Each transaction writes three. */
beforeAll(async () => {
  system = await openTestSystem();
  for (let first = 0; first < count; first += 3) {
    await system.inTransaction(async (tx) => {
      for (const number of [first, first + 1, first + 2]) {
        await system.audit.record(tx, entry(number % 2 === 0 ? `even-${number}` : `odd`));
      }
    });
  }
});
afterAll(() => system.close());

describe('the pages of the log', () => {
  it.each([1, 7, 100])('of %i rows show each row once, newest first', async (limit) => {
    const seen: string[] = [];
    for (let page = 1; page <= Math.ceil(count / limit); page += 1) {
      const { rows, total } = await listAuditEntries(system.db, {}, { page, limit });
      expect(total).toBe(count);
      expect(rows.length).toBe(Math.min(limit, count - (page - 1) * limit));
      seen.push(...rows.map(({ id }) => id));
    }
    const links = await system.db.auditChain.findMany({ orderBy: { number: 'desc' } });
    expect(seen).toEqual(links.map(({ auditId }) => auditId));
  });

  it('past the end are empty, with the total', async () => {
    expect(await actionsOf(3, 60)).toEqual({ actions: [], total: count });
    expect(await actionsOf(10_000_000, 100)).toEqual({ actions: [], total: count });
  });

  it('of a filter show each matching row once, newest first', async () => {
    const first = await listAuditEntries(system.db, { action: 'odd' }, { page: 1, limit: 40 });
    const second = await listAuditEntries(system.db, { action: 'odd' }, { page: 2, limit: 40 });
    expect([first.total, second.total]).toEqual([count / 2, count / 2]);
    expect([first.rows.length, second.rows.length]).toEqual([40, 20]);
    const places = [...first.rows, ...second.rows].map(({ seq }) => seq);
    expect(places).toEqual(places.toSorted((one, other) => (one < other ? 1 : -1)));
    expect(new Set(places).size).toBe(count / 2);
  });

  it('of a filter may have one row or none', async () => {
    expect(await actionsOf(1, 20, { action: 'even-4' })).toEqual({ actions: ['even-4'], total: 1 });
    expect(await actionsOf(1, 20, { action: 'never' })).toEqual({ actions: [], total: 0 });
  });
});

type Table = 'audit_log' | 'audit_chain';

/** Returns the number of rows that this connection has read of a table. */
const readSoFar = async (tx: Db, table: Table): Promise<number> => {
  const read = await selectOne<{ rows: number }>(
    tx,
    sql`
      SELECT (seq_tup_read + idx_tup_fetch)::int AS rows
      FROM pg_stat_xact_user_tables WHERE relname = ${table}`,
  );
  return read?.rows ?? 0;
};

/** Returns the number of rows of a table that a page reads, without plans that read whole tables. */
const rowsRead = (page: number, table: Table): Promise<number> =>
  system.inTransaction(async (tx) => {
    await execute(tx, sql`SET LOCAL enable_seqscan = off`);
    const before = await readSoFar(tx, table);
    await listAuditEntries(tx, {}, { page, limit: 10 });
    return (await readSoFar(tx, table)) - before;
  });

it.each(['audit_log', 'audit_chain'] as const)(
  'reads as much of %s for the last page as for the first',
  async (table) => {
    const first = await rowsRead(1, table);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(40);
    expect(await rowsRead(count / 10, table)).toBe(first);
  },
);

it('the page orders transactions of the same time by their commits', async () => {
  const [written, committed] = [createGate(), createGate()];
  const slow = system.inTransaction(async (tx) => {
    await system.audit.record(tx, entry('begun-first'));
    written.open();
    await committed.opened;
  });
  await written.opened;
  await system.inTransaction((tx) => system.audit.record(tx, entry('committed-first')));
  expect((await actionsOf(1, 1)).actions).toEqual(['committed-first']);
  committed.open();
  await slow;
  expect((await actionsOf(1, 2)).actions).toEqual(['begun-first', 'committed-first']);
});
