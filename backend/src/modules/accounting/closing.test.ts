import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { booksTest } from '#test/support/books-test.ts';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { createFactories } from '#test/support/factories.ts';
import type { OpenBooks } from '#test/support/open-books.ts';
import { serveAccountingApi } from '#test/support/serve-apis.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDate, istDate } from '../../platform/clock/ist.ts';
import { datesOf, monthAfter } from './open-months.ts';
import { addProviderFigures } from './provider-days.read-model.ts';

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

/** Opens the books of a month that ended a minute ago, with a caller of the portal. */
const openMonth = async (open: OpenBooks) => {
  const { system } = open;
  await open.buy(undefined, '2500.55');
  await open.sell('500', '1000');
  const today = istDate(system.clock.now());
  const period = today.slice(0, 7);
  const end = addMs(endOfIstDate(datesOf(period).to), 60_000);
  await open.advance(Math.ceil((end.getTime() - system.clock.now().getTime()) / 1000));
  const { url } = await serveAccountingApi(system);
  const { token } = await createFactories(system).portalUser();
  const askAs = (as: string): Caller => createCaller(url, { 'x-portal-token': as });
  const ask = askAs(token);
  writeFileSync(join(system.settingsDir, 'ACCOUNTING_PORTAL_MODE'), 'readwrite');
  return {
    ask,
    askAs,
    today,
    period,
    month: (of = period) => `/gold/month-end-close/${of}`,
    days: (query: string) => ask('GET', `/gold/provider-reconciliation?${query}`),
    dayOf: (days: number) => istDate(addMs(system.clock.now(), days * 86_400_000)),
    put: (effectiveFrom: string) =>
      ask('PUT', '/gold/statutory-parameters/gst_rate_bps', { value: '500', effectiveFrom }),

    /** Changes the books past the service, and repairs them afterwards. */
    withTampered: async (change: string, undo: string, work: () => Promise<void>) => {
      await open.asOwner(change);
      try {
        await work();
      } finally {
        await open.asOwner(undo);
      }
    },
  };
};

const it = booksTest().extend('ended', { scope: 'file' }, ({ open }) => openMonth(open));

const path = (date: string) => `/gold/provider-reconciliation/${date}/sign-off`;

it('the portal freezes nothing in the two minutes after midnight, while transactions may last', async ({
  open,
  ended,
}) => {
  const { ask, period, month } = ended;
  const lastDay = path(datesOf(period).to);
  expect(await ask('POST', lastDay)).toMatchObject({ status: 409, field: 'date' });
  expect(await ask('POST', month())).toMatchObject({ status: 409, field: 'period' });
  await open.advance(60);
});

it('the portal closes no month before each day with figures is signed off, and says which', async ({
  ended,
}) => {
  const { ask, month, period, today } = ended;
  const refused = await ask('POST', month());
  expect(refused).toMatchObject({ status: 409, field: 'period' });
  expect(Object(refused.body['error']).details).toEqual({ unsignedDays: [today] });
  const next = monthAfter(period);
  expect((await ask('GET', '/gold/month-end')).body['items']).toMatchObject([
    { period, canClose: false, isOver: true, waitsFor: null, unsignedDays: [today] },
    { period: next, canClose: false, isOver: false, waitsFor: period, unsignedDays: [] },
  ]);
});

describe('provider reconciliation', () => {
  it('shows the figures of orders and provider for each day, and their sum', async ({ ended }) => {
    const { today, period, days } = ended;
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

  it('shows a difference on the day of a trade that the provider lacks', async ({ ended }) => {
    const { today, days, withTampered } = ended;
    await withTampered(
      `UPDATE gold_order SET grams = grams + 0.0001 WHERE type = 'SELL'`,
      `UPDATE gold_order SET grams = grams - 0.0001 WHERE type = 'SELL'`,
      async () => {
        const { body } = await days(`from=${today}&to=${today}`);
        expect(body['totals']).toMatchObject({ differences: { soldGrams: '0.0001', sells: 0 } });
      },
    );
  });

  it('is signed off once for a day that is over, and freezes its figures', async ({ ended }) => {
    const { ask, today, period, days, dayOf } = ended;
    const answers = await Promise.all([1, 2, 3].map(() => ask('POST', path(today))));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409']);
    expect(answers.find(({ status }) => status === 201)?.body).toMatchObject({
      date: today,
      totals: figures,
    });
    expect(await ask('POST', path(dayOf(0)))).toMatchObject({ status: 409, field: 'date' });
    for (const date of ['2026-02-30', '0000-01-01', '0001-01-01']) {
      expect(await ask('POST', path(date))).toMatchObject({ status: 404 });
    }
    const { from, to } = datesOf(period);
    const signed = await days(`from=${from}&to=${to}&status=SIGNED`);
    expect(signed.body).toMatchObject({
      total: 1,
      items: [{ date: today, signedOff: { totals: figures } }],
    });
    const open = await days(`from=${today}&to=${today}&status=OPEN`);
    expect(open.body).toMatchObject({ total: 0, items: [], totals: addProviderFigures([]) });
  });

  it.for([
    'from=2026-05-02&to=2026-05-01',
    'from=2001-01-01&to=2026-05-01',
    'from=today',
    'from=0000-01-01&to=0000-01-02',
    'from=0001-01-01&to=0001-01-02',
    'from=2101-01-01&to=2101-01-02',
  ])('refuses %s', async (query, { ended: { days } }) => {
    expect(await days(query)).toMatchObject({ status: 400, field: 'from' });
  });
});

it('the portal refuses a rate that begins before GST was charged', async ({ ended }) => {
  const { today, dayOf, put } = ended;
  expect(await put(today)).toMatchObject({ status: 409, field: 'effectiveFrom' });
  expect(await put(dayOf(1))).toMatchObject({ status: 200 });
});

describe('the close of a month', () => {
  it('is refused while the month lasts', async ({ ended }) => {
    const { ask, month, dayOf } = ended;
    const now = dayOf(0).slice(0, 7);
    expect(await ask('POST', month(now))).toMatchObject({ status: 409, field: 'period' });
    expect(await ask('GET', month(now))).toMatchObject({ status: 200, body: { closed: false } });
    expect(await ask('GET', month('2099-01'))).toMatchObject({ status: 404 });
    for (const none of ['2026-13', '0000-01', '0001-01', '1999-12', '2101-01']) {
      expect(await ask('POST', month(none))).toMatchObject({ status: 404 });
      expect(await ask('GET', month(none))).toMatchObject({ status: 404 });
    }
  });

  it.for([
    ['buys.grams', `type = 'BUY' AND allocated_at IS NOT NULL`, 'grams', '0.0001'],
    ['sells.proceedsPaise', `type = 'SELL'`, 'proceeds_paise', '7'],
  ] as const)(
    'is refused where %s is not what moved',
    async ([figure, where, column, by], { ended }) => {
      const { ask, month, withTampered } = ended;
      const change = (sign: string) => `UPDATE gold_order SET ${column} = ${column} ${sign} ${by}
      WHERE id = (SELECT min(id::text)::uuid FROM gold_order WHERE ${where})`;
      await withTampered(change('+'), change('-'), async () => {
        const answer = await ask('POST', month());
        expect(answer).toMatchObject({ status: 409, code: 'CONFLICT' });
        expect(Object(answer.body['error']).details).toMatchObject([{ figure }]);
      });
    },
  );

  it('freezes its totals, once, and the ledger takes no posting of them', async ({
    open,
    ended,
  }) => {
    const { ask, period, month } = ended;
    const answers = await Promise.all([1, 2].map(() => ask('POST', month())));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409']);
    const code = 'ACCOUNTING_POSTING_DISABLED';
    const closed = answers.find(({ status }) => status === 201);
    expect(closed?.body).toMatchObject({ period, posting: { posted: false, code } });
    expect(open.system.logged()).toContain(code);
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

  it('shows later changes as differences, and keeps its frozen totals', async ({ ended }) => {
    const { ask, month, withTampered } = ended;
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

const reopen = (period: string) => `/gold/month-end-close/${period}/reopen`;
const reason = 'A refund of the last day was booked late.';
/** Signs in again, since a session of an earlier month has ended. */
const signInAgain = async (
  open: OpenBooks,
  askAs: (token: string) => Caller,
  role?: 'finance_head',
): Promise<Caller> => askAs((await createFactories(open.system).portalUser(role)).token);

describe('the order of months', () => {
  it('closes a month only after the month before, and reopens only the newest month', async ({
    open,
    ended,
  }) => {
    const { askAs, month, period } = ended;
    const [next, afterNext] = [monthAfter(period), monthAfter(monthAfter(period))];
    await open.advance(63 * 24 * 60 * 60);
    const ask = await signInAgain(open, askAs);
    expect((await ask('POST', month(afterNext))).body['error']).toMatchObject({
      code: 'CONFLICT',
      details: { monthBefore: next },
    });
    expect((await ask('POST', month(next))).status).toBe(201);
    const refused = await ask('POST', reopen(period), { reason });
    expect(refused.body['error']).toMatchObject({ details: { laterMonth: next } });
    expect((await ask('POST', reopen(next), { reason })).status).toBe(200);
    expect((await ask('POST', reopen(next), { reason })).status).toBe(409);
  });

  it('keeps the frozen totals when a month is reopened and closed again', async ({
    open,
    ended,
  }) => {
    const { askAs, month, period } = ended;
    const ask = await signInAgain(open, askAs);
    const before = await ask('GET', month());
    const opened = await ask('POST', reopen(period), { reason });
    expect(opened).toMatchObject({ status: 200, body: { closed: false } });
    const frozen = { revision: 1, totals: before.body['totals'], reason };
    expect(opened.body['reopened']).toMatchObject([frozen]);
    expect((await ask('GET', '/gold/month-end-close')).body).toMatchObject({ total: 0 });
    const answers = await Promise.all([1, 2].map(() => ask('POST', month())));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409']);
    const { body } = await ask('GET', month());
    expect(body).toMatchObject({ closed: true, differences: [], reopened: [frozen] });
    const action = 'accounting.month-end.reopen';
    const where = { action, targetId: period };
    const [row] = await open.system.db.auditLog.findMany({ where });
    expect(JSON.stringify([row?.before, row?.after])).not.toContain(reason);
  });

  it('lets only a super admin reopen a month, with a reason', async ({ open, ended }) => {
    const { askAs, period } = ended;
    const ask = await signInAgain(open, askAs);
    const head = await signInAgain(open, askAs, 'finance_head');
    const refused = await head('POST', reopen(period), { reason });
    expect(refused).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
    const refusals = { action: 'accounting.refused', outcome: 'REFUSED' };
    expect(await open.system.db.auditLog.count({ where: refusals })).toBeGreaterThan(0);
    for (const none of [{}, { reason: '' }, { reason: ' ' }]) {
      expect((await ask('POST', reopen(period), none)).status).toBe(400);
    }
  });

  it('is ensured by the database, which refuses a second close', async ({ open, ended }) => {
    const again = `INSERT INTO month_end_close (id, period, revision, totals, closed_by, closed_at)
      SELECT gen_random_uuid(), period, 3, totals, closed_by, closed_at FROM month_end_close
      WHERE period = $1 AND revision = 2`;
    await expect(open.asOwner(again, ended.period)).rejects.toThrow(/is closed/u);
  });
});

it.for([
  ['2026-02', '2026-02-28'],
  ['2028-02', '2028-02-29'],
  ['2026-12', '2026-12-31'],
  ['2026-04', '2026-04-30'],
] as const)('%s ends on %s', ([of, to]) => {
  expect(datesOf(of)).toEqual({ from: `${of}-01`, to });
});
