import * as fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { createFactories, type Factories, type MadeAdmin } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createAdmins, type AdminRole } from '../admins/index.ts';
import type { LivePrice } from '../price/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { createReportsAdminRoutes } from './index.ts';

const [dayMs, istMs] = [86_400_000, 19_800_000];

let system: TestSystem;
let factories: Factories;
let url: string;
let owner: Client;
let sellPaise: bigint | undefined;
const operators = new Map<AdminRole, MadeAdmin>();

/** Returns a live price. The reports use only these figures of it. */
const live = async (): Promise<LivePrice> => {
  if (sellPaise === undefined) throw new AppError('PRICE_UNAVAILABLE');
  const price = { buyPaise: 5n, spotPaise: 5n, source: 'PROVIDER', asOf: system.wall.now() };
  return { ...price, sellPaise } as unknown as LivePrice;
};

beforeAll(async () => {
  system = await openTestSystem();
  factories = createFactories(system);
  const { guard } = createAdmins({ ...system, tokenTtlSeconds: 3600 });
  const routes = createReportsAdminRoutes({ ...system, price: { livePrice: live } });
  url = await system.serve({ prefix: '/v1', routes, guard });
  for (const role of ['SUPER_ADMIN', 'ADMIN', 'SUPPORT'] as const) {
    operators.set(role, await factories.admin(role));
  }
  owner = new Client({ connectionString: system.addresses.migrateUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await system.close();
});

/** Sends a request as an operator who has just signed in, since the clock may have moved. */
const get = async (path: string, role: AdminRole = 'SUPPORT') => {
  const { adminId: sub, email } = operators.get(role) ?? (await factories.admin(role));
  const token = system.tokens.sign({ sub, email, role }, 3600);
  const { status, body } = await bearerCaller(url, token)('GET', path);
  return { status, body };
};

const moments = fc
  .record({
    day: fc.integer({ min: -2, max: 40 }),
    offset: fc.oneof(fc.constantFrom(0, -1, 1, dayMs / 2), fc.integer({ min: 0, max: dayMs - 1 })),
  })
  .map(({ day, offset }) => offset - day * dayMs);
const statuses = fc.constantFrom(
  'PENDING',
  'FAILED',
  'RETRY_PENDING',
  'ALLOCATED',
  'MANUAL_REVIEW',
);
const book = fc.record({
  hour: fc.integer({ min: 0, max: dayMs - 1 }),
  sellPaise: fc.option(fc.bigInt({ min: 1n, max: 2_000_000n }), { nil: undefined }),
  users: fc.array(
    fc.record({
      joined: moments,
      blocked: fc.boolean(),
      deleted: fc.boolean(),
      units: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      reservedShare: fc.constantFrom(0n, 1n, 2n),
      invested: fc.bigInt({ min: 0n, max: 10n ** 11n }),
      kyc: fc.constantFrom('PENDING', 'SUBMITTED', 'APPROVED'),
    }),
    { maxLength: 6 },
  ),
  gold: fc.array(
    fc.record({
      at: moments,
      status: statuses,
      paise: fc.bigInt({ min: 3n, max: 10n ** 10n }),
      recovered: fc.boolean(),
      payout: fc.constantFrom(undefined, 'PENDING', 'PROCESSING', 'FAILED'),
    }),
    { maxLength: 12 },
  ),
  jewellery: fc.array(
    fc.record({
      at: moments,
      status: fc.constantFrom('PLACED', 'DELIVERED', 'CANCELLED', 'RETURNED'),
      paise: fc.bigInt({ min: 1n, max: 10n ** 10n }),
    }),
    { maxLength: 6 },
  ),
});
type Book = typeof book extends fc.Arbitrary<infer B> ? B : never;

const decimal = (units: bigint): string => {
  const [whole, part] = [units / 10n ** 8n, units % 10n ** 8n];
  return `${whole}.${String(part).padStart(8, '0')}`;
};
/** Removes trailing zeros of eight decimals, but keeps at least four decimals. */
const trimmed = (units: bigint): string => decimal(units).replace(/0{1,4}$/u, '');
const reservedOf = (user: Book['users'][number]): bigint => (user.units * user.reservedShare) / 2n;

const empty = `
  DELETE FROM payout; DELETE FROM product_order; DELETE FROM gold_order; DELETE FROM sip_plan;
  DELETE FROM bank_account; DELETE FROM holding; DELETE FROM kyc_record;
  DELETE FROM transaction_count; DELETE FROM app_user; DELETE FROM unproven_holding;
  DELETE FROM running_total`;

const insertUsers = async (users: Book['users'], today: number): Promise<void> => {
  for (const [n, user] of users.entries()) {
    const id = system.random.uuid();
    const at = new Date(today + user.joined);
    await owner.query(
      `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
       VALUES ($1, '+91900000000' || $2::text, $2, $2, $3, $3)`,
      [id, String(n), at],
    );
    await owner.query(
      `INSERT INTO kyc_record (id, user_id, status, submitted_at, created_at, updated_at)
       VALUES ($1, $1, $2, $3, $3, $3)`,
      [id, user.kyc, at],
    );
    await owner.query(`INSERT INTO holding (user_id, created_at, updated_at) VALUES ($1, $2, $2)`, [
      id,
      at,
    ]);
    // The holding is updated as by a movement, so that the triggers change the totals.
    await owner.query(
      `UPDATE holding SET balance = $2, reserved = $3, invested_paise = $4 WHERE user_id = $1`,
      [id, decimal(user.units), decimal(reservedOf(user)), user.invested],
    );
    if (user.blocked) {
      await owner.query(`UPDATE app_user SET blocked = true, blocked_reason = 'x' WHERE id = $1`, [
        id,
      ]);
    }
    if (user.deleted) {
      await owner.query(
        `UPDATE app_user SET deleted_at = now(), phone = NULL, phone_hash = NULL WHERE id = $1`,
        [id],
      );
    }
  }
};

const insertTrades = async ({ gold, jewellery }: Book, today: number): Promise<void> => {
  const customer = system.random.uuid();
  const long = new Date(today - 400 * dayMs);
  await owner.query(
    `INSERT INTO app_user (id, phone, phone_hash, referral_code, created_at, updated_at)
     VALUES ($1, '+919111111111', 'x', 'x', $2, $2)`,
    [customer, long],
  );
  await owner.query(
    `INSERT INTO bank_account (id, user_id, status, number_sealed, number_hash, account_last4, ifsc,
       holder_name_sealed, created_at, updated_at)
     VALUES ($1, $1, 'VERIFIED', 'x', 'x', '9999', 'HDFC0000053', 'x', $2, $2)`,
    [customer, long],
  );
  await owner.query(
    `INSERT INTO sip_plan (id, user_id, status, amount_paise, frequency, duration_installments,
       start_date, cancelled_at, created_at, updated_at)
     VALUES ($1, $1, 'CANCELLED', 100000, 'DAILY', 240, '2020-01-01', $2, $2, $2)`,
    [customer, long],
  );
  for (const [n, { at, status, paise, recovered, payout }] of gold.entries()) {
    const isBought = status === 'ALLOCATED' || recovered;
    const id = system.random.uuid();
    const moment = new Date(today + at);
    await owner.query(
      `INSERT INTO gold_order (id, user_id, type, status, unit, amount_paise, sip_plan_id,
         installment_no, due_at, grams, gold_value_paise, gst_paise, provider, provider_tx_id,
         allocated_at, recovered_at, manual_review_code, manual_review_reason, created_at, updated_at)
       VALUES ($1, $2, 'SIP_INSTALLMENT', $3, 'INR', $4, $2, $5::int, $6, 1, $4::bigint - 1, 1,
         'safegold', $5::text, $7, $8, $9, $9, $6, $6)`,
      [
        id,
        customer,
        status,
        paise,
        n + 1,
        moment,
        isBought ? moment : null,
        recovered ? moment : null,
        status === 'MANUAL_REVIEW' ? 'LATE_CAPTURE' : null,
      ],
    );
    if (payout === undefined) continue;
    await owner.query(
      `INSERT INTO payout (id, user_id, order_id, bank_account_id, amount_paise, status, created_at,
         updated_at) VALUES ($1, $2, $1, $2, $3, $4, $5, $5)`,
      [id, customer, paise, payout, moment],
    );
  }
  for (const { at, status, paise } of jewellery) {
    await owner.query(
      `INSERT INTO product_order (id, user_id, status, items_total_paise, gst_paise, gst_rate_bps,
         delivery_fee_paise, total_paise, shipping_address_sealed, created_at, updated_at)
       VALUES ($1, $2, $3, $4, 0, 0, 0, $4, 'x', $5, $5)`,
      [system.random.uuid(), customer, status, paise, new Date(today + at)],
    );
  }
};

const total = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, one) => sum + one, 0n);

/** Returns the numbers of days before today, oldest first. */
const days = (count: number) => Array.from({ length: count }, (_, day) => count - 1 - day);

/** Expects work that waits since these times, counted from the beginning of today. */
const waiting = (kind: string, link: string, since: readonly number[]) => (today: number) => {
  const oldestAt = since.length === 0 ? '' : new Date(today + Math.min(...since)).toISOString();
  return since.length === 0 ? [] : [{ kind, link, count: since.length, oldestAt }];
};

/** Computes the expected reports from the book, in the simplest way. */
const model = (given: Book, today: number, now: number) => {
  const sales = [
    ...given.gold
      .filter(({ status, recovered }) => status === 'ALLOCATED' && !recovered)
      .map(({ at, paise }) => ({ at, paise })),
    ...given.jewellery.filter(({ status }) => !['CANCELLED', 'RETURNED'].includes(status)),
  ];
  const soldOn = (day: number): bigint =>
    total(sales.filter(({ at }) => Math.floor(at / dayMs) === -day).map(({ paise }) => paise));
  const here = given.users.filter(({ deleted }) => !deleted);
  const payouts = (wanted: string) => given.gold.filter(({ payout }) => payout === wanted);
  const units = total(given.users.map((user) => user.units));
  const value = (price: bigint) => Number((units * price + 10n ** 8n / 2n) / 10n ** 8n);
  const valuePaise = given.sellPaise === undefined ? null : value(given.sellPaise);
  return {
    valuePaise,
    overview: {
      users: {
        total: here.length + 1, // and the customer of all trades
        new24h: here.filter(({ joined }) => today + joined > now - dayMs && today + joined <= now)
          .length,
        blocked: here.filter(({ blocked }) => blocked).length,
      },
      kyc: { submitted: given.users.filter(({ kyc }) => kyc === 'SUBMITTED').length },
      gold: { grams: trimmed(units), valuePaise },
      gmvPaise: {
        today: Number(soldOn(0)),
        last7d: Number(total(days(7).map(soldOn))),
        last30d: Number(total(days(30).map(soldOn))),
      },
      orders: {
        manualReview: given.gold.filter(({ status }) => status === 'MANUAL_REVIEW').length,
        retryPending: given.gold.filter(({ status }) => status === 'RETRY_PENDING').length,
      },
      payouts: {
        pending: payouts('PENDING').length,
        pendingPaise: Number(total(payouts('PENDING').map(({ paise }) => paise))),
        processing: payouts('PROCESSING').length,
      },
    },
    attention: [
      waiting(
        'payout_failed',
        '/payouts?status=FAILED',
        given.gold.filter(({ payout }) => payout === 'FAILED').map(({ at }) => at),
      ),
      waiting(
        'installment_review',
        '/reviews?kind=SIP_INSTALLMENT',
        given.gold.filter(({ status }) => status === 'MANUAL_REVIEW').map(({ at }) => at),
      ),
      waiting(
        'kyc_submitted',
        '/kyc?status=SUBMITTED',
        given.users.filter(({ kyc }) => kyc === 'SUBMITTED').map(({ joined }) => joined),
      ),
    ].flatMap((one) => one(today)),
    gmv: days(35).map((day) => Number(soldOn(day))),
    growth: days(35).map(
      (day) => given.users.filter(({ joined }) => Math.floor(joined / dayMs) === -day).length,
    ),
    aum: {
      grams: trimmed(units),
      reservedGrams: trimmed(total(given.users.map(reservedOf))),
      investedPaise: Number(total(given.users.map(({ invested }) => invested))),
      valuePaise,
      customersWithGold: given.users.filter((user) => user.units > 0n).length,
    },
  };
};

it('a report has the figures of the books, for any books and at any time', async () => {
  await fc.assert(
    fc.asyncProperty(book, async (given) => {
      const start = Math.floor((system.clock.now().getTime() + istMs) / dayMs) * dayMs - istMs;
      const [today, now] = [start, start + given.hour];
      system.clock.set(new Date(now));
      sellPaise = given.sellPaise;
      await owner.query(empty);
      await insertUsers(given.users, today);
      await insertTrades(given, today);
      const expected = model(given, today, now);
      const overview = await get('/dashboard/overview');
      const { attention } = expected;
      expect(overview.body).toMatchObject({ ...expected.overview, attention });
      const shown = given.sellPaise === undefined ? null : Number(given.sellPaise);
      const price = overview.body['price'] as { sellPaise: number } | null; // as declared
      expect(price?.sellPaise ?? null).toBe(shown);
      const gmv = (await get('/dashboard/gmv?days=35')).body;
      const gmvItems = gmv['items'] as { date: string; gmvPaise: number }[]; // as declared
      expect(gmvItems.map(({ gmvPaise }) => gmvPaise)).toEqual(expected.gmv);
      expect(gmvItems.at(-1)?.date).toBe(new Date(today + istMs).toISOString().slice(0, 10));
      const growth = (await get('/dashboard/user-growth?days=35')).body;
      const rows = growth['items'] as { users: number }[]; // as declared
      expect(rows.map(({ users }) => users)).toEqual(expected.growth);
      const aum = (await get('/reports/aum')).body;
      expect(aum).toMatchObject({ asOf: new Date(now).toISOString(), ...expected.aum });
    }),
    { numRuns: 25 },
  );
});

describe('the series', () => {
  it.each([
    ['/dashboard/gmv', 30],
    ['/dashboard/user-growth?days=1', 1],
    ['/dashboard/gmv?days=366', 366],
  ])('%s has a row for each of %i days', async (path, count) => {
    const { body } = await get(path);
    expect(body['days']).toBe(count);
    expect(body['items']).toHaveLength(count);
  });

  it.each(['0', '367', '-1', 'x', '1.5'])('takes no %s days', async (given) => {
    expect(await get(`/dashboard/gmv?days=${given}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_FAILED', field: 'days' } },
    });
  });
});

describe('roles', () => {
  const open = [
    '/dashboard/overview',
    '/dashboard/gmv',
    '/dashboard/user-growth',
    '/reports/aum',
  ] as const;
  const absent = ['daily-transactions', 'gst', 'tds', 'provider-reconciliation'] as const;

  it.each(['SUPER_ADMIN', 'ADMIN', 'SUPPORT'] as const)('shows %s the figures', async (role) => {
    for (const path of open) expect(await get(path, role)).toMatchObject({ status: 200 });
  });

  it.each(absent)('answers 501 for %s, to those who may ask', async (name) => {
    const path = `/reports/${name}`;
    const [superAdmin, admin, support] = [
      await get(path, 'SUPER_ADMIN'),
      await get(path, 'ADMIN'),
      await get(path, 'SUPPORT'),
    ];
    expect([superAdmin.status, admin.status, support.status]).toEqual([501, 501, 403]);
    expect(admin.body).toMatchObject({ error: { code: 'NOT_IMPLEMENTED' } });
  });

  it('are needed for every report', async () => {
    for (const path of [...open, ...absent.map((name) => `/reports/${name}`)]) {
      expect((await bearerCaller(url, undefined)('GET', path)).status).toBe(401);
    }
  });
});

it('a holding that a transaction changes often counts once, in the connection’s own row', async () => {
  await owner.query(empty);
  const made = await Promise.all(Array.from({ length: 8 }, () => factories.customer()));
  await Promise.all(
    made.map(({ userId }) =>
      system.inTransaction(async (tx) => {
        for (const balance of ['1.5', '0', '2.25']) {
          await tx.holding.update({ where: { userId }, data: { balance } });
        }
      }),
    ),
  );
  const { rows } = await owner.query('SELECT shard FROM running_total');
  expect(rows.length).toBeGreaterThan(1);
  expect((await get('/reports/aum')).body).toMatchObject({
    grams: '18.0000',
    customersWithGold: 8,
  });
});
