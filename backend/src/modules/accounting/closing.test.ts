import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import { assertInvariants } from '#test/support/invariants.ts';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDate, istDate } from '../../platform/clock/ist.ts';
import { datesOf } from './close-month.ts';
import { createAccounting } from './index.ts';
import { addProviderFigures } from './provider-days.read-model.ts';

let books: OpenBooks;
let ask: Caller;
let today: string;
let period: string;

const figures = {
  orders: { buys: 2, sells: 1 },
  provider: { buys: 2, sells: 1 },
  differences: {
    buys: 0,
    boughtGrams: '0.0000',
    boughtPaise: 0,
    sells: 0,
    soldGrams: '0.0000',
    soldPaise: 0,
  },
};

beforeAll(async () => {
  books = await openBooks();
  const { system } = books;
  await books.buy(undefined, '2500.55');
  await books.sell('500', '1000');
  today = istDate(system.clock.now());
  period = today.slice(0, 7);
  // Out of the month, a minute past its last midnight.
  const end = addMs(endOfIstDate(datesOf(period).to), 60_000);
  await books.advance(Math.ceil((end.getTime() - system.clock.now().getTime()) / 1000));
  const { routes, guard } = createAccounting(system);
  const url = await system.serve({ prefix: '/api/v1/accounting', routes, guard });
  const { token } = await createFactories(system).portalUser();
  ask = createCaller(url, { 'x-portal-token': token });
  writeFileSync(join(system.settingsDir, 'ACCOUNTING_PORTAL_MODE'), 'readwrite');
});

afterAll(async () => {
  const { addresses, sandbox } = books.system;
  await assertInvariants({ databaseUrl: addresses.migrateUrl, sandboxUrl: sandbox.url });
  await books.close();
});

const run = (text: string) =>
  withConnection(books.system.addresses.migrateUrl, (client) => client.query(text));

/** Changes the books behind the service's back, and puts them right afterwards. */
const withTampered = async (change: string, undo: string, work: () => Promise<void>) => {
  await run(change);
  try {
    await work();
  } finally {
    await run(undo);
  }
};

const days = (query: string) => ask('GET', `/gold/provider-reconciliation?${query}`);
const dayOf = (days: number): string => istDate(addMs(books.system.clock.now(), days * 86_400_000));

const month = (of = period) => `/gold/month-end-close/${of}`;
const path = (date: string) => `/gold/provider-reconciliation/${date}/sign-off`;

it('freezes nothing in the two minutes after midnight, while transactions may last', async () => {
  const lastDay = path(datesOf(period).to);
  expect(await ask('POST', lastDay)).toMatchObject({ status: 409, field: 'date' });
  expect(await ask('POST', month())).toMatchObject({ status: 409, field: 'period' });
  await books.advance(60);
});

describe('provider reconciliation', () => {
  it('shows what orders and provider say of each day, and their sum', async () => {
    const { from, to } = datesOf(period);
    const { status, body } = await days(`from=${from}&to=${to}&limit=100`);
    expect(status).toBe(200);
    expect(body['totals']).toMatchObject(figures);
    const items = body['items'] as { date: string; signedOff: unknown }[];
    expect(items[0]?.date).toBe(to);
    expect(items.find(({ date }) => date === today)).toMatchObject({ ...figures, signedOff: null });
    const paged = await days(`from=${from}&to=${to}&limit=1&page=${items.length}`);
    expect(paged.body).toMatchObject({ total: items.length, items: [{ date: from }] });
  });

  it('shows a difference on the day of what the provider did not do', async () => {
    await withTampered(
      `UPDATE gold_order SET grams = grams + 0.0001 WHERE type = 'SELL'`,
      `UPDATE gold_order SET grams = grams - 0.0001 WHERE type = 'SELL'`,
      async () => {
        const { body } = await days(`from=${today}&to=${today}`);
        expect(body['totals']).toMatchObject({ differences: { soldGrams: '0.0001', sells: 0 } });
      },
    );
  });

  it('is signed off once for a day that is over, and freezes its figures', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', path(today))));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409']);
    expect(answers.find(({ status }) => status === 201)?.body).toMatchObject({
      date: today,
      totals: figures,
    });
    expect(await ask('POST', path(dayOf(0)))).toMatchObject({ status: 409, field: 'date' });
    expect(await ask('POST', path('2026-02-30'))).toMatchObject({ status: 404 });
    const { from, to } = datesOf(period);
    const signed = await days(`from=${from}&to=${to}&status=SIGNED`);
    expect(signed.body).toMatchObject({
      total: 1,
      items: [{ date: today, signedOff: { totals: figures } }],
    });
    const open = await days(`from=${today}&to=${today}&status=OPEN`);
    expect(open.body).toMatchObject({ total: 0, items: [], totals: addProviderFigures([]) });
  });

  it.each(['from=2026-05-02&to=2026-05-01', 'from=2001-01-01&to=2026-05-01', 'from=today'])(
    'refuses %s',
    async (query) => {
      expect(await days(query)).toMatchObject({ status: 400, field: 'from' });
    },
  );
});

const put = (effectiveFrom: string) =>
  ask('PUT', '/gold/statutory-parameters/gst_rate_bps', { value: '500', effectiveFrom });

it('lets no rate begin before what was charged', async () => {
  expect(await put(today)).toMatchObject({ status: 409, field: 'effectiveFrom' });
  expect(await put(dayOf(1))).toMatchObject({ status: 200 });
});

describe('the close of a month', () => {
  it('is refused while the month lasts', async () => {
    const now = dayOf(0).slice(0, 7);
    expect(await ask('POST', month(now))).toMatchObject({ status: 409, field: 'period' });
    expect(await ask('GET', month(now))).toMatchObject({ status: 200, body: { closed: false } });
    expect(await ask('GET', month('2099-01'))).toMatchObject({ status: 404 });
    expect(await ask('POST', month('2026-13'))).toMatchObject({ status: 404 });
  });

  it.each([
    ['buys.grams', `type = 'BUY' AND allocated_at IS NOT NULL`, 'grams', '0.0001'],
    ['sells.proceedsPaise', `type = 'SELL'`, 'proceeds_paise', '7'],
  ])('is refused where %s is not what moved', async (figure, where, column, by) => {
    const change = (sign: string) => `UPDATE gold_order SET ${column} = ${column} ${sign} ${by}
      WHERE id = (SELECT min(id::text)::uuid FROM gold_order WHERE ${where})`;
    await withTampered(change('+'), change('-'), async () => {
      const answer = await ask('POST', month());
      expect(answer).toMatchObject({ status: 409, code: 'CONFLICT' });
      expect(Object(answer.body['error']).details).toMatchObject([{ figure }]);
    });
  });

  it('freezes its totals, once', async () => {
    const answers = await Promise.all([1, 2].map(() => ask('POST', month())));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409']);
    expect(await ask('POST', month())).toMatchObject({ status: 409 });
    const { body } = await ask('GET', month());
    expect(body).toMatchObject({
      closed: true,
      totals: { buys: { orders: 2, amountPaise: 350_055 }, sells: { orders: 1 } },
      differences: [],
    });
    const list = await ask('GET', '/gold/month-end-close');
    expect(list.body).toMatchObject({ total: 1, items: [{ period, closed: true }] });
  });

  it('shows what changed since as a difference, and stays as it was frozen', async () => {
    const { body: before } = await ask('GET', month());
    await withTampered(
      `UPDATE gold_order SET proceeds_paise = proceeds_paise + 7 WHERE type = 'SELL'`,
      `UPDATE gold_order SET proceeds_paise = proceeds_paise - 7 WHERE type = 'SELL'`,
      async () => {
        const { body } = await ask('GET', month());
        expect(body['totals']).toEqual(before['totals']);
        expect(body['differences']).toMatchObject([
          { figure: 'sells.proceedsPaise' },
          { figure: 'sells.providerDifferencePaise' },
        ]);
      },
    );
  });
});

it.each([
  ['2026-02', '2026-02-28'],
  ['2028-02', '2028-02-29'],
  ['2026-12', '2026-12-31'],
  ['2026-04', '2026-04-30'],
])('%s ends on %s', (of, to) => {
  expect(datesOf(of)).toEqual({ from: `${of}-01`, to });
});
