import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { monthBefore } from './open-months.ts';

let system: TestSystem;
let url: string;
let ask: Caller;
let token: string;
let today: string;
let lastMonth: string;

const lists = [
  'provider-reconciliation',
  'policy-determinations',
  'statutory-parameters',
  'month-end-close',
] as const;

beforeAll(async () => {
  system = await openTestSystem();
  ({ url } = await serveAccountingApi(system));
  ({ token } = await createFactories(system).portalUser());
  ask = createCaller(url, { 'x-portal-token': token });
  writeFileSync(join(system.settingsDir, 'ACCOUNTING_PORTAL_MODE'), 'readwrite');
  today = istDate(system.clock.now());
  lastMonth = monthBefore(today.slice(0, 7));
  const topic = '=1+1';
  const policy = {
    topic,
    determination: 'Two, lines\nof "text"',
    basis: 'b',
    effectiveFrom: today,
  };
  await ask('POST', '/gold/policy-determinations', policy);
  await ask('POST', `/gold/month-end-close/${lastMonth}`);
});
afterAll(() => system.close());

const fileOf = async (path: string) => {
  const response = await fetch(`${url}/gold/${path}`, { headers: { 'x-portal-token': token } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

it.each(lists)('writes %s as files, each with an audit row', async (list) => {
  // The parameters are as old as the database, which may have been made yesterday.
  const from = istDate(addMs(system.clock.now(), -24 * 60 * 60_000));
  const days = `from=${from}&to=${today}`;
  const { body } = await ask('GET', `/gold/${list}?${days}&limit=100`);
  for (const format of ['csv', 'xlsx']) {
    const file = await fileOf(`${list}?${days}&format=${format}`);
    const { response, bytes } = file;
    expect(response.status).toBe(200);
    expect(response.headers.get('x-total-rows')).toBe(String(body['total']));
    expect(response.headers.get('content-disposition')).toContain(`${list}_${from}_${today}`);
    expect(bytes.length).toBeGreaterThan(100);
    const row = await system.db.auditLog.findFirstOrThrow({ orderBy: { seq: 'desc' } });
    expect(row).toMatchObject({ action: 'accounting.export', targetId: list });
  }
});

it('a register of the books writes texts like formulas as texts, and money in rupees', async () => {
  const policies = (await fileOf('policy-determinations?format=csv')).bytes.toString();
  expect(policies).toContain(`,'=1+1,"Two, lines\nof ""text""",b,`);
  const months = (await fileOf('month-end-close?format=csv')).bytes.toString();
  expect(months).toContain('buysAmountInr');
  expect(months).toContain(`,${lastMonth},1,`);
  const days = (await fileOf(`provider-reconciliation?from=${today}&to=${today}&format=csv`)).bytes;
  expect(days.toString()).toMatch(/^date,ordersBuys,ordersBoughtGrams,ordersBoughtInr,/u);
  expect(days.toString()).toContain(`\r\n${today},0,0.0000,0.00,`);
});

it('a register of the books is filtered by the day of the record, as every register is', async () => {
  const yesterday = istDate(addMs(system.clock.now(), -24 * 60 * 60_000));
  for (const list of lists.slice(1)) {
    const [before, since] = [`to=${yesterday}`, `from=${today}`];
    const own = list === 'statutory-parameters' ? {} : { total: 0 };
    expect((await ask('GET', `/gold/${list}?${before}`)).body).toMatchObject(own);
    const found = list === 'statutory-parameters' ? {} : { total: 1 };
    expect((await ask('GET', `/gold/${list}?${since}`)).body).toMatchObject(found);
    const outOfOrder = await ask('GET', `/gold/${list}?from=${today}&to=${yesterday}`);
    expect(outOfOrder).toMatchObject({ status: 400, field: 'from' });
  }
});

it.each([
  ...lists.map((list) => [list, 'pdf']),
  ...['buys', 'sells', 'holdings', 'payments', 'payouts'].map((list) => [list, 'CSV']),
  ['ledger-entries', 'csv'],
  ['audit', 'csv'],
])('a register of the books refuses %s as %s, and says what it may be', async (list, format) => {
  const refused = await ask('GET', `/gold/${list}?format=${format}`);
  expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field: 'format' });
  expect(String(Object(refused.body['error']).message)).toContain('json');
});

it('a register of the books needs the permission to export, but only for a file', async () => {
  const permissions = ['gold.policy.read'] as const;
  const reader = await createFactories(system).portalUser('viewer', { permissions });
  const asReader = createCaller(url, { 'x-portal-token': reader.token });
  expect((await asReader('GET', '/gold/policy-determinations')).status).toBe(200);
  const refused = await asReader('GET', '/gold/policy-determinations?format=csv');
  expect(refused).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
});
