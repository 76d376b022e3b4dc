import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { createPostingGate } from './posting-gate.ts';
import { gstRateBpsOn } from '../statutory/index.ts';

let system: TestSystem;
let ask: Caller;
let email: string;

const set = (name: string, text: string): void =>
  writeFileSync(join(system.settingsDir, name), text);

beforeAll(async () => {
  system = await openTestSystem();
  const { portalUser } = createFactories(system);
  const { url } = await serveAccountingApi(system);
  const boss = await portalUser();
  ({ email } = boss);
  ask = createCaller(url, { 'x-portal-token': boss.token });
  set('ACCOUNTING_PORTAL_MODE', 'readwrite');
});

afterAll(async () => system.close());

const put = (key: string, value: unknown, effectiveFrom: string, more: object = {}) =>
  ask('PUT', `/gold/statutory-parameters/${key}`, { value, effectiveFrom, ...more });

const dayOf = (days: number): string =>
  istDate(new Date(system.clock.now().getTime() + days * 86_400_000));

describe('a statutory parameter', () => {
  it('gets a value from a day on, and keeps its earlier values', async () => {
    const answer = await put('gst_rate_bps', '500', '2091-04-01', { note: 'Budget of 2091' });
    expect(answer).toMatchObject({
      status: 200,
      body: { key: 'gst_rate_bps', value: '500', effectiveFrom: '2091-04-01' },
    });
    expect(await gstRateBpsOn(system.db, new Date('2091-03-31T18:29:59Z'))).toBe(300n);
    expect(await gstRateBpsOn(system.db, new Date('2091-03-31T18:30:00Z'))).toBe(500n);
    const list = await ask('GET', '/gold/statutory-parameters?key=gst_rate_bps');
    expect(list.body).toMatchObject({
      total: 2,
      items: [{ value: '500' }, { value: '300', effectiveFrom: '2017-07-01' }],
    });
    const log = await ask('GET', '/gold/audit?action=accounting.statutory-parameter.put');
    expect(log.body['items']).toMatchObject([
      {
        actor: { email },
        target: { type: 'statutory_parameter', id: 'gst_rate_bps' },
        before: { value: '300' },
        after: { value: '500', effectiveFrom: '2091-04-01', note: 'Budget of 2091' },
      },
    ]);
    const row = await system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });
    expect(JSON.stringify(row?.after)).not.toContain('Budget');
  });

  it('accepts a null note, as it returns one', async () => {
    const answer = await put('tcs_rate_bps', '100', '2091-04-01', { note: null });
    expect(answer).toMatchObject({ status: 200, body: { value: '100', note: null } });
    const row = await system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });
    expect(row).toMatchObject({ action: 'accounting.statutory-parameter.put', sealed: null });
  });

  it('has one value from a day on, and refuses a second value', async () => {
    const answers = await Promise.all(
      ['10', '20'].map((v) => put('tds_rate_bps', v, '2091-04-01')),
    );
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409']);
  });

  it.each([
    ['a rate that is no number', 'gst_rate_bps', '3%', '2092-01-01', 'value'],
    ['a rate above all', 'gst_rate_bps', '10001', '2092-01-01', 'value'],
    ['a rate below nothing', 'tds_rate_bps', '-1', '2092-01-01', 'value'],
    ['a number', 'gst_rate_bps', 300, '2092-01-01', 'value'],
    ['no day of the calendar', 'gst_rate_bps', '300', '2091-02-29', 'effectiveFrom'],
    ['a day before our calendar', 'gst_rate_bps', '300', '0000-01-01', 'effectiveFrom'],
    ['a day before all books', 'gst_rate_bps', '300', '1999-12-31', 'effectiveFrom'],
    ['a day after all books', 'gst_rate_bps', '300', '2101-01-01', 'effectiveFrom'],
  ])('is refused with %s', async (_what, key, value, date, field) => {
    const answer = await put(key, value, date);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });

  it('may begin today if nothing was charged, and never in a closed month', async () => {
    expect(await put('gst_rate_bps', '300', dayOf(0))).toMatchObject({ status: 200 });
    expect(await put('cess_bps', '900', '2020-02-29')).toMatchObject({ status: 200 });
    expect(await ask('POST', '/gold/month-end-close/2020-03')).toMatchObject({ status: 201 });
    expect(await put('cess_bps', '800', '2020-03-31')).toMatchObject({ status: 409 });
    expect(await put('cess_bps', '800', '2020-04-01')).toMatchObject({ status: 200 });
  });
});

it('the portal keeps policy determinations, newest first, and seals their texts in the log', async () => {
  const policy = {
    topic: 'withholding',
    determination: 'Nothing is withheld from a sale.',
    basis: 'Counsel of 2026',
    effectiveFrom: '2026-11-01',
  };
  const made = await ask('POST', '/gold/policy-determinations', policy);
  expect(made).toMatchObject({ status: 201, body: { ...policy, reference: null } });
  const row = await system.db.auditLog.findFirst({ orderBy: { seq: 'desc' } });
  expect(JSON.stringify({ ...row, seq: 0 })).not.toMatch(/withheld|Counsel/u);
  system.clock.advance(1000);
  await ask('POST', '/gold/policy-determinations', { ...policy, topic: 'gst', reference: 'X-1' });
  system.clock.advance(1000);
  const bare = { ...policy, topic: 'tds', reference: null };
  const third = await ask('POST', '/gold/policy-determinations', bare);
  expect(third).toMatchObject({ status: 201, body: bare });
  const topics = async (query: string) => {
    const { body } = await ask('GET', `/gold/policy-determinations${query}`);
    return (body['items'] as { topic: string }[]).map(({ topic }) => topic);
  };
  expect(await topics('')).toEqual(['tds', 'gst', 'withholding']);
  expect(await topics('?topic=withholding')).toEqual(['withholding']);
});

describe('the ledger', () => {
  it('is empty, and says so', async () => {
    expect((await ask('GET', '/gold/ledger-entries')).body).toEqual({
      items: [],
      total: 0,
      page: 1,
      limit: 20,
      entries_available: false,
    });
  });

  it.each([
    [undefined, 'ACCOUNTING_POSTING_DISABLED'],
    ['TRUE', 'ACCOUNTING_POSTING_DISABLED'],
    [' true', 'ACCOUNTING_POSTING_DISABLED'],
    ['1', 'ACCOUNTING_POSTING_DISABLED'],
    ['true', 'ACCOUNTING_POSTING_BLOCKED_ENGINE_NOT_WIRED'],
  ])('takes no posting with the switch at %j, by what it returns', async (text, code) => {
    if (text !== undefined) set('ACCOUNTING_AUTO_POSTING_ENABLED', text);
    const post = createPostingGate(system);
    expect(await post({ source: 'gold_order', id: 'o-1' })).toEqual({ posted: false, code });
    expect(system.logged()).toContain(code);
    const status = await ask('GET', '/gold/posting-status');
    expect(status.body).toMatchObject({ code, engineWired: false, entries_available: false });
  });
});

it("the portal shows its own audit rows, and not the operators' rows", async () => {
  await system.audit.record(system.db, {
    action: 'config.limits.replace',
    actor: { api: 'admin' },
    requestId: 'r',
  });
  const { body } = await ask('GET', '/gold/audit?limit=100');
  const actions = (body['items'] as { action: string }[]).map(({ action }) => action);
  expect(actions).toContain('accounting.month-end.close');
  expect(actions).not.toContain('config.limits.replace');
});
