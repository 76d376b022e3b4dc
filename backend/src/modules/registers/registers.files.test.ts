import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFactories, type Factories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { createAccounting, portalRead } from '../accounting/index.ts';
import { createRegisterAccountingRoutes } from './index.ts';

/** The number and length of rows make a file that no buffer can hold. */
const [payments, idLength] = [100_000, 600];
let system: TestSystem;
let make: Factories;
let url: string;
let impatientUrl: string;
let narrowUrl: string;
let token: string;

beforeAll(async () => {
  system = await openTestSystem();
  make = createFactories(system);
  await withConnection(system.addresses.migrateUrl, async (client) => {
    await client.query(
      `INSERT INTO gateway_payment (id, gateway, gateway_payment_id, status, standing, amount_paise,
         currency, learned_at, updated_at)
       SELECT gen_random_uuid(), 'sandbox', rpad(n::text, $2::int, 'x'), 'CAPTURED', 'UNMATCHED', n,
         'INR', '2026-01-15'::timestamptz + n * interval '1 second', now()
       FROM generate_series(1, $1::int) AS n`,
      [payments, idLength],
    );
    await client.query('ANALYZE gateway_payment');
  });
  const shared = { ...system, readSnapshot: system.database.readSnapshot, access: portalRead };
  const { guard } = createAccounting(shared);
  const serve = (routes: ReturnType<typeof createRegisterAccountingRoutes>) =>
    system.serve({ prefix: '/api/v1/accounting', routes, guard });
  url = await serve(createRegisterAccountingRoutes(shared));
  impatientUrl = await serve(
    createRegisterAccountingRoutes({ ...shared, limits: { stallMs: 200 } }),
  );
  narrowUrl = await serve(createRegisterAccountingRoutes({ ...shared, limits: { sheetRows: 3 } }));
  token = (await make.portalUser('auditor')).token;
});
afterAll(() => system.close());

const as = (who: string | undefined): Caller =>
  createCaller(url, who === undefined ? {} : { 'x-portal-token': who });
const open = async (path: string, base = url): Promise<IncomingMessage> => {
  const request = httpGet(base + path, { headers: { 'x-portal-token': token } });
  const [response] = (await once(request, 'response')) as [IncomingMessage]; // of this event
  return response;
};
const csv = '/gold/payments?format=csv';

/** Returns the database's backends that are reading a snapshot for a file. */
const readers = (): Promise<{ pid: number }[]> =>
  withConnection(system.addresses.databaseUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'test' AND state IN ('active', 'idle in transaction')
         AND query NOT LIKE '%pg_stat_activity%'`,
    );
    return rows;
  });
const untilNobodyReads = (): Promise<void> =>
  eventually(async () => {
    expect(await readers()).toEqual([]);
  });

/** Returns the permission of a register. Jewellery has the permission of purchases. */
const permissionOf = (name: string): never =>
  `gold.${name === 'product-sales' ? 'buys' : name}.read` as never; // one of the list

describe('the order of refusals', () => {
  const registers = [
    'summary',
    'buys',
    'sells',
    'holdings',
    'payments',
    'payouts',
    'product-sales',
  ];

  it.each(registers)('%s: token, permission, then the query', async (name) => {
    const bad = `/gold/${name}?from=2026-02-30`;
    const without = await make.portalUser('viewer', { permissions: ['gold.export'] });
    const reader = await make.portalUser('viewer', { permissions: [permissionOf(name)] });
    expect(await as(undefined)('GET', bad)).toMatchObject({ status: 401 });
    expect(await as(without.token)('GET', bad)).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await as(reader.token)('GET', bad)).toMatchObject({ status: 400, field: 'from' });
    expect(await as(reader.token)('GET', `/gold/${name}`)).toMatchObject({ status: 200 });
  });

  it('checks gold.export before the other parts of the query, and audits a refusal', async () => {
    const { token: viewer } = await make.portalUser('viewer');
    const before = await system.db.auditLog.count();
    for (const format of ['csv', 'xlsx']) {
      const answer = await as(viewer)('GET', `/gold/buys?format=${format}&from=x`);
      expect(answer).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    }
    const rows = await system.db.auditLog.findMany({ skip: before, orderBy: { seq: 'asc' } });
    expect(rows).toMatchObject([
      {
        outcome: 'REFUSED',
        after: { permission: 'gold.export', route: '/api/v1/accounting/gold/buys' },
      },
      { outcome: 'REFUSED', after: { permission: 'gold.export' } },
    ]);
    expect(await as(viewer)('GET', '/gold/buys?format=json')).toMatchObject({ status: 200 });
  });
});

it.each([
  ['from=2026-02-30', 'from'],
  ['from=26-01-01', 'from'],
  ['to=2026-01-01T00:00:00Z', 'to'],
  ['from=1999-12-31', 'from'],
  ['to=9999-12-31', 'to'],
  ['from=2026-02-02&to=2026-02-01', 'from'],
  ['from=2026-02-02&from=2026-02-03', 'from'],
  ['status=COMPLETED', 'status'],
  ['status=', 'status'],
  ['page=0', 'page'],
  ['page=1000001', 'page'],
  ['limit=101', 'limit'],
  ['format=pdf', 'format'],
  ['format=csv&format=xlsx', 'format'],
  ['q=', 'q'],
  ['q=%00', 'q'],
  [`q=${'x'.repeat(129)}`, 'q'],
])('a register refuses %s', async (query, field) => {
  const answer = await as(token)('GET', `/gold/buys?${query}`);
  expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
});

it.each([`q=${encodeURIComponent(`' OR 1=1 --`)}`, 'q=%25', 'q=_', 'q=%3D1%2B1'])(
  'finds nothing by %s',
  async (query) => {
    for (const name of ['buys', 'sells', 'holdings', 'payments', 'payouts']) {
      const answer = await as(token)('GET', `/gold/${name}?${query}`);
      expect(answer).toMatchObject({ status: 200, body: { items: [], total: 0 } });
    }
  },
);

it('a register returns a page far after the last page, and the widest period', async () => {
  const query = 'page=1000000&limit=100&from=2000-01-01&to=2100-12-31';
  const { body } = await as(token)('GET', `/gold/payments?${query}`);
  expect(body).toMatchObject({ items: [], page: 1_000_000, total: payments });
});

describe('a file', () => {
  it('has an audit row before its first byte, in which the search text is sealed', async () => {
    await (await open(`${csv}&q=Asha%20Rao&from=2026-01-05`)).toArray();
    const row = await system.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });
    expect(row).toMatchObject({
      action: 'accounting.export',
      actorApi: 'accounting',
      actorRole: 'auditor',
      targetId: 'payments',
      after: { format: 'csv', from: '2026-01-05', to: null, status: null, isSearch: true },
    });
    expect(row.sealed).toMatch(/^v1\./u);
    expect(JSON.stringify(row.after)).not.toContain('Asha');
  });

  it('is not read for HEAD, which returns only the headers', async () => {
    const before = await system.db.auditLog.count();
    const headers = { 'x-portal-token': token };
    const response = await fetch(url + csv, { method: 'HEAD', headers });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(await system.db.auditLog.count()).toBe(before);
  });

  it('is one of at most two at a time, until a reader disconnects', async () => {
    const held = [await open(csv), await open(csv)];
    const busy = await as(token)('GET', csv);
    expect(busy).toMatchObject({ status: 503, code: 'BUSY' });
    expect(busy.headers.get('retry-after')).toBe('30');
    expect(busy.headers.get('content-type')).toContain('application/json');
    expect(await as(token)('GET', '/gold/payments')).toMatchObject({ status: 200 });
    for (const response of held) response.destroy();
    await untilNobodyReads();
    const whole = await open(csv);
    const text = Buffer.concat(await whole.toArray()).toString();
    expect(text.split('\r\n')).toHaveLength(Number(whole.headers['x-total-rows']) + 2);
  });

  it('is refused before its first byte if a spreadsheet would need a second sheet', async () => {
    const before = await system.db.auditLog.count();
    const wide = createCaller(narrowUrl, { 'x-portal-token': token });
    const refused = await wide('GET', '/gold/payments?format=xlsx');
    expect(refused).toMatchObject({ status: 400, code: 'TOO_MANY_ROWS', field: 'format' });
    expect(await system.db.auditLog.count()).toBe(before);
    const ids = (await system.db.gatewayPayment.findMany({ take: 1 })).map(({ id }) => id);
    const fits = await open(`/gold/payments?format=xlsx&q=${ids.join('')}`, narrowUrl);
    await fits.toArray();
    expect(fits).toMatchObject({ statusCode: 200, complete: true });
    const whole = await open(csv, narrowUrl);
    expect(whole.headers['x-total-rows']).toBe(String(payments));
    whole.destroy();
    await untilNobodyReads();
  });

  it('is not read any further when the reader of a spreadsheet disconnects', async () => {
    const response = await open('/gold/payments?format=xlsx');
    await once(response, 'readable');
    expect(await readers()).toHaveLength(1);
    response.destroy();
    await untilNobodyReads();
  });

  it('is cut off when its reader does not read, and frees the database', async () => {
    const response = await open(csv, impatientUrl);
    await untilNobodyReads();
    await expect(response.toArray()).rejects.toThrow('aborted');
  });

  it('is cut off and never completed when the database fails', async () => {
    const response = await open(csv);
    await eventually(async () => {
      expect(await readers()).toHaveLength(1);
    });
    await withConnection(system.addresses.databaseUrl, async (client) => {
      for (const { pid } of await readers())
        await client.query('SELECT pg_terminate_backend($1)', [pid]);
    });
    await expect(response.toArray()).rejects.toThrow('aborted');
    expect(response.complete).toBe(false);
    await untilNobodyReads();
  });
});
