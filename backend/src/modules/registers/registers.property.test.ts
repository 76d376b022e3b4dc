import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFactories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { fillDatabase } from '../../../dev/fill/fill-database.ts';
import { createAccounting, portalRead } from '../accounting/index.ts';
import { createRegisterAccountingRoutes } from './index.ts';
import { parseCsv, parseSheet } from './testing/read-files.ts';
import {
  loadTables,
  modelNames,
  modelRows,
  modelTotals,
  registerNames,
  type ModelFilter,
  type ModelRow,
  type RegisterName,
} from './testing/register-model.ts';

let system: TestSystem;
let url: string;
let token: string;
let tables: Awaited<ReturnType<typeof loadTables>>;

const span = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-03-01T00:00:00Z') };
const names = [
  '=1+1',
  '@SUM(A1)',
  '+91 9',
  '-x y',
  '"q" ,c',
  'Ω ü',
  'line\nbreak',
  '\tTab',
  'अशा राव',
];

/** Adds rare figures, such as odd taxes, eight decimals, losses and other currencies. */
const oddFigures = [
  `UPDATE product_order SET cash_received_paise = total_paise - abs(hashtext(id::text)) % 2 * 777
   WHERE status IN ('DELIVERED', 'RETURNED')`,
  `UPDATE gold_order SET gst_paise = gst_paise + 1, gold_value_paise = gold_value_paise - 1,
     rounding_paise = -(hashtext(id::text) % 7), provider_amount_paise = abs(hashtext(id::text)) % 9000000,
     grams = grams + (abs(hashtext(id::text)) % 9999) / 100000000.0
   WHERE type <> 'SELL' AND allocated_at IS NOT NULL AND abs(hashtext(id::text)) % 3 = 0`,
  `UPDATE gateway_payment SET currency = 'USD' WHERE abs(hashtext(id::text)) % 11 = 0`,
  `INSERT INTO payment_reversal (id, gateway, gateway_payment_id, kind, reference, amount_paise,
     learned_at, gateway_at)
   SELECT gen_random_uuid(), gateway, gateway_payment_id, kind, NULL, 1 + amount_paise / 3,
     learned_at, learned_at FROM gateway_payment, (VALUES ('REFUND'), ('DISPUTE')) AS k (kind)
   WHERE abs(hashtext(id::text)) % 5 = 0`,
  `UPDATE gold_order SET recovered_at = allocated_at + interval '40 days'
   WHERE type = 'BUY' AND allocated_at IS NOT NULL AND abs(hashtext(id::text)) % 13 = 0`,
];

beforeAll(async () => {
  system = await openTestSystem();
  const { migrateUrl } = system.addresses;
  await fillDatabase(migrateUrl, { series: 1, orders: 500, users: 40, ...span });
  await withConnection(migrateUrl, async (client) => {
    for (const sql of oddFigures) await client.query(sql);
    await client.query(
      `UPDATE app_user SET full_name = ($1::text[])[1 + abs(hashtext(id::text)) % $2::int]
       WHERE deleted_at IS NULL`,
      [names, names.length],
    );
  });
  const shared = { ...system, readSnapshot: system.database.readSnapshot };
  const accounting = createAccounting(shared);
  const routes = createRegisterAccountingRoutes({ ...shared, access: portalRead });
  url = await system.serve({ prefix: '/api/v1/accounting', routes, guard: accounting.guard });
  token = (await createFactories(system).portalUser('auditor')).token;
  tables = await loadTables(system.db);
});
afterAll(() => system.close());

const get = (name: string, query: object): Promise<Response> => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(
    Object.fromEntries(given.map(([key, value]) => [key, String(value)])),
  ).toString();
  return fetch(`${url}/gold/${name}?${text}`, { headers: { 'x-portal-token': token } });
};

interface Answer {
  readonly items: readonly ModelRow[];
  readonly total: number;
  readonly totals: ModelRow;
}
const read = async (name: string, query: object): Promise<Answer> => {
  const response = await get(name, query);
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  return body as Answer; // as the route's own schema was checked
};

const days = Array.from({ length: 63 }, (_, at) =>
  new Date(Date.UTC(2025, 11, 30 + at)).toISOString().slice(0, 10),
);
const statuses: Readonly<Record<RegisterName, readonly string[]>> = {
  buys: ['PENDING', 'PAID', 'ALLOCATED', 'MANUAL_REVIEW', 'FAILED'],
  sells: ['CONFIRMED', 'COMPLETED', 'FAILED', 'PENDING'],
  payments: ['CAPTURED', 'FAILED', 'REFUNDED'],
  payouts: ['PENDING', 'PAID', 'FAILED', 'REVERSED'],
  holdings: ['HELD', 'EMPTY'],
  'product-sales': ['PLACED', 'PACKED', 'SHIPPED', 'DELIVERED', 'RETURNED', 'CANCELLED'],
};

interface RegisterQuery {
  readonly name: RegisterName;
  readonly filter: ModelFilter;
  readonly found: number | null;
  readonly page: number;
  readonly limit: number;
}

const anyFilter = fc
  .record({
    name: fc.constantFrom(...registerNames),
    dates: fc.tuple(fc.option(fc.nat(62)), fc.option(fc.nat(62))),
    status: fc.option(fc.nat(20)),
    found: fc.option(fc.nat(), { freq: 2 }),
    page: fc.integer({ min: 1, max: 6 }),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  .map(({ name, dates: [one, other], status, found, page, limit }): RegisterQuery => {
    const isBoth = one !== null && other !== null;
    const [from, to] = isBoth ? [Math.min(one, other), Math.max(one, other)] : [one, other];
    const filter: ModelFilter = {
      from: from === null ? undefined : days[from],
      to: to === null ? undefined : days[to],
      status: status === null ? undefined : statuses[name][status % statuses[name].length],
    };
    return { name, filter, found, page, limit };
  });

/** The filters that match all rows of each register, since random filters may match few rows. */
const wholeRegisters = registerNames.map((name): [RegisterQuery] => {
  const filter = { from: undefined, to: undefined, status: undefined };
  return [{ name, filter, found: null, page: 1, limit: 100 }];
});

/** Converts a number to a search text, which is usually found in the register. */
const searched = (name: RegisterName, found: number | null): string | undefined => {
  if (found === null) return undefined;
  const known = modelNames(name, tables);
  return found % 9 === 0 ? `100%'"_\\ =${found}` : known[found % known.length];
};

const money = (paise: number): string => {
  const digits = String(Math.abs(paise)).padStart(3, '0');
  return `${paise < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
const guarded = (text: string): string => (/^[=+\-@\t\r]/u.test(text) ? `'${text}` : text);
const isMoney = (column: string): boolean => column.endsWith('Paise');
const headers = (row: ModelRow): string[] =>
  Object.keys(row).map((column) => column.replace(/Paise$/u, 'Inr'));
const csvOf = (row: ModelRow): string[] =>
  Object.entries(row).map(([column, value]) => {
    if (value === null) return '';
    return isMoney(column) ? money(Number(value)) : guarded(String(value));
  });
const sheetOf = (row: ModelRow) =>
  Object.entries(row).map(([column, value]) => {
    if (value === null) return undefined;
    if (isMoney(column)) return { number: String(Number(money(Number(value)))) };
    const isFigure = typeof value === 'number' || /grams$/iu.test(column);
    return isFigure ? { number: String(Number(value)) } : { text: value };
  });

describe('a register under any filter', () => {
  it('has the rows and sums of the tables, as JSON and as CSV', async () => {
    let rowsSeen = 0;
    const headed = Object.fromEntries(
      registerNames.map((name) => [name, modelRows(name, tables, {})[0] ?? {}]),
    ) as Record<RegisterName, ModelRow>; // of each
    await fc.assert(
      fc.asyncProperty(anyFilter, async ({ name, filter, found, page, limit }) => {
        const query = { ...filter, q: searched(name, found) };
        const expected = modelRows(name, tables, query);
        const answer = await read(name, { ...query, page, limit });
        expect(answer.items).toEqual(expected.slice((page - 1) * limit, page * limit));
        expect(answer.total).toBe(expected.length);
        expect(answer.totals).toEqual(modelTotals(expected, Object.keys(answer.totals)));

        const file = await get(name, { ...query, format: 'csv' });
        expect(file.headers.get('x-total-rows')).toBe(String(expected.length));
        const [header, ...records] = parseCsv(await file.text());
        expect(records).toEqual(expected.map(csvOf));
        expect(header).toEqual(headers(expected[0] ?? headed[name]));
        rowsSeen += expected.length;
      }),
      { numRuns: 80, examples: wholeRegisters },
    );
    expect(rowsSeen).toBeGreaterThan(500);
  });

  it.each(registerNames)('puts the whole of %s into a workbook, number by number', async (name) => {
    const expected = modelRows(name, tables, {});
    const file = await get(name, { format: 'xlsx' });
    expect(file.headers.get('content-disposition')).toContain(`${name}_open_open.xlsx`);
    const [header, ...rows] = parseSheet(Buffer.from(await file.arrayBuffer()));
    expect(expected.length).toBeGreaterThan(10);
    expect(header?.map(({ text }) => text)).toEqual(headers(expected[0] ?? {}));
    expect(rows).toHaveLength(expected.length);
    for (const [at, row] of expected.entries()) {
      const wanted = sheetOf(row);
      expect(wanted.map((_, column) => rows[at]?.[column])).toEqual(wanted);
    }
  });
});
