import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { makePrice } from '#test/support/prices.ts';
import { createMetrics } from '../../platform/observability/index.ts';
import { createInternalServer } from '../../platform/lifecycle/create-internal-server.ts';
import { listen } from '#test/support/listen.ts';
import { insertTick } from '../price/price.store.ts';
import { openKinds, openStates } from './figures.types.ts';
import { createFigures } from './index.ts';

/** Reads the series of a replica's `/metrics` with their values. */
type Shown = ReadonlyMap<string, number>;

let books: OpenBooks;
let replica: () => Promise<Shown>;
const closers: (() => void)[] = [];

/** Serves the metrics of another worker. */
const openReplica = async (everyMs: number): Promise<() => Promise<Shown>> => {
  const { system, services } = books;
  const metrics = createMetrics({ service: 'worker', collectsDefaults: false });
  const beforeMetrics = createFigures({
    ...system,
    registry: metrics.registry,
    gates: services.gates,
    everyMs,
  });
  const { logger } = system;
  const server = createInternalServer({ metrics, logger, beforeMetrics });
  const url = await listen(server);
  closers.push(() => void server.close());
  return async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => {
        const [series = '', value] = line.split(/ (?=\S+$)/u);
        return [series.replace(/,?service="worker"/u, '').replace('{}', ''), Number(value)];
      }),
    );
  };
};

beforeAll(async () => {
  books = await openBooks();
});
beforeEach(async () => {
  // Every scrape reads the figures again.
  await books.asOwner('DELETE FROM figure_snapshot');
  replica = await openReplica(0);
});
afterAll(async () => {
  for (const close of closers) close();
  await books.close();
});

const open = (shown: Shown, kind: string, state: string) => ({
  count: shown.get(`open_work{kind="${kind}",state="${state}"}`),
  oldest: shown.get(`open_work_oldest_seconds{kind="${kind}",state="${state}"}`),
});

/** Returns how many calls of some flows are undecided. */
const undecidedCalls = (shown: Shown): number[] =>
  ['allocation', 'sale_confirm', 'payout', 'validation'].map(
    (flow) => open(shown, 'call', flow).count ?? 0,
  );

describe('open work', () => {
  /** Sets the state of one row of each kind, and the time since it has this state. */
  const faults: Readonly<Record<string, (orderId: string, payoutId: string) => Promise<unknown>>> =
    {
      buy: async (id) =>
        books.asOwner(
          `UPDATE gold_order SET status = 'RETRY_PENDING', paid_at = paid_at - interval '1 hour'
         WHERE id = $1`,
          id,
        ),
      payout: async (_order, id) =>
        books.asOwner(
          `UPDATE payout SET status = 'FAILED', updated_at = updated_at - interval '1 hour'
         WHERE id = $1`,
          id,
        ),
      review: async (id) =>
        books.asOwner(
          `UPDATE gold_order SET status = 'MANUAL_REVIEW', manual_review_code = 'LATE_CAPTURE',
           manual_review_reason = 'x', updated_at = updated_at - interval '1 hour' WHERE id = $1`,
          id,
        ),
      kyc: async () =>
        books.asOwner(
          `UPDATE kyc_record SET status = 'SUBMITTED', submitted_at = now() - interval '1 hour'
         WHERE id = (SELECT id FROM kyc_record ORDER BY id LIMIT 1)`,
        ),
      ticket: async () =>
        books.asOwner(
          `INSERT INTO support_ticket (id, reference, category, status, created_at, updated_at)
         VALUES ($1, 'TKT-1', 'CONTACT', 'OPEN', now() - interval '1 hour', now())`,
          randomUUID(),
        ),
      webhook: async () =>
        books.asOwner(
          `INSERT INTO webhook_event (id, source, gateway, body_hash, status, received_at)
         VALUES ($1, 'payment', 'sandbox', 'hash', 'UNMATCHED', now() - interval '1 hour')`,
          randomUUID(),
        ),
      evidence: async () =>
        books.asOwner(
          `UPDATE readiness_evidence SET expires_on = current_date + 20
         WHERE item = (SELECT item FROM readiness_evidence ORDER BY item LIMIT 1)`,
        ),
      call: async () =>
        books.asOwner(
          `INSERT INTO provider_operation (id, provider, operation, status, started_at)
         VALUES ($1, 'test', 'sell-verify', 'INTENDED', now() - interval '1 hour')`,
          randomUUID(),
        ),
    };
  const cases = [
    ['buy', 'RETRY_PENDING'],
    ['payout', 'FAILED'],
    ['review', 'LATE_CAPTURE'],
    ['kyc', 'SUBMITTED'],
    ['ticket', 'OPEN'],
    ['webhook', 'UNMATCHED'],
    ['evidence', 'ENDING'],
    ['call', 'sale_verify'],
  ] as const;

  it.each(cases)('counts a %s that is %s, with its age', async (kind, state) => {
    const bought = await books.buy();
    const sold = await books.sell();
    expect(open(await replica(), kind, state)).toEqual({ count: 0, oldest: 0 });
    await faults[kind]?.(bought.orderId, sold.payoutId);
    const { count, oldest } = open(await replica(), kind, state);
    expect(count).toBe(1);
    expect(oldest).toBeGreaterThan(3000);
  });

  it('counts the calls with an unknown outcome by flow', async () => {
    const bought = await books.buy();
    const { orderId, payoutId } = await books.sell();
    const before = await replica();
    for (const id of [bought.orderId, orderId]) {
      await books.asOwner(
        `UPDATE provider_operation SET status = 'UNKNOWN', settled_at = NULL
         WHERE order_id = $1 AND operation <> 'sell-verify'`,
        id,
      );
    }
    await books.asOwner(
      `UPDATE payout_attempt SET status = 'UNKNOWN', settled_at = NULL WHERE payout_id = $1`,
      payoutId,
    );
    await books.asOwner(
      `UPDATE bank_account SET status = 'PENDING', provider_validation_id = NULL, is_primary = false
       WHERE id = (SELECT bank_account_id FROM payout WHERE id = $1)`,
      payoutId,
    );
    const after = await replica();
    expect(undecidedCalls(after)).toEqual(undecidedCalls(before).map((count) => count + 1));
  });

  it('always has a series for each kind and state, and no other', async () => {
    const all = openKinds.flatMap((kind) =>
      openStates[kind].map((state) => `open_work{kind="${kind}",state="${state}"}`),
    );
    const before = await replica();
    const shown = [...before.keys()].filter((each) => each.startsWith('open_work{'));
    expect(shown.toSorted()).toEqual(all.toSorted());
    for (let bought = 0; bought < 5; bought += 1) await books.place(await books.customer());
    expect([...(await replica()).keys()].length).toBe(before.size);
  });
});

describe('the figures', () => {
  it('are read once in their interval, even if many replicas are scraped', async () => {
    const [one, another] = [await openReplica(600_000), await openReplica(600_000)];
    const before = open(await one(), 'buy', 'PENDING').count ?? 0;
    await books.place(await books.customer());
    for (const ask of [one, another, one]) {
      expect(open(await ask(), 'buy', 'PENDING').count).toBe(before);
    }
    await books.asOwner(`UPDATE figure_snapshot SET claimed_at = now() - interval '1 hour'`);
    expect(open(await another(), 'buy', 'PENDING').count).toBe(before + 1);
    expect(open(await one(), 'buy', 'PENDING').count).toBe(before + 1);
  });

  it('grow old if they cannot be read', async () => {
    await replica();
    await books.asOwner('ALTER TABLE support_ticket RENAME TO support_ticket_away');
    try {
      await books.asOwner(`UPDATE figure_snapshot SET taken_at = now() - interval '10 minutes'`);
      expect((await replica()).get('figures_age_seconds')).toBeGreaterThan(590);
    } finally {
      await books.asOwner('ALTER TABLE support_ticket_away RENAME TO support_ticket');
    }
    expect((await replica()).get('figures_age_seconds')).toBeLessThan(60);
  });
});

describe('prices and gates', () => {
  it('show the age of the newest price and its tick', async () => {
    const { system } = books;
    const at = new Date(system.wall.now().getTime() - 95_000);
    await insertTick(system.db, system.random.uuid(), at, makePrice({ asOf: at }));
    const shown = await replica();
    expect(shown.get('price_age_seconds')).toBeGreaterThanOrEqual(95);
    expect(shown.get('price_tick_age_seconds')).toBeGreaterThanOrEqual(95);
  });

  it('show a closed gate', async () => {
    const file = join(books.system.settingsDir, 'DIGITAL_SELL_ENABLED');
    expect((await replica()).get('gate_open{gate="sell"}')).toBe(1);
    writeFileSync(file, 'false\n');
    expect((await replica()).get('gate_open{gate="sell"}')).toBe(0);
    writeFileSync(file, 'true\n');
  });
});

const makeRun = async (kind: string): Promise<void> => {
  const ask = await books.operator('ADMIN');
  expect((await ask('POST', '/reconciliation/runs', { kind })).status).toBe(202);
  await books.drain();
};

describe('the newest runs', () => {
  it('show the findings of each check of the report, and the age of the run', async () => {
    const sold = await books.sell();
    await books.asOwner(
      'UPDATE payout SET amount_paise = amount_paise + 1 WHERE id = $1',
      sold.payoutId,
    );
    await makeRun('REPORT');
    const shown = await replica();
    const check = 'reconciliation_findings{check="sell_without_payout"}';
    expect(shown.get(check)).toBe(1);
    expect(shown.get('reconciliation_age_seconds{kind="report"}')).toBeLessThan(60);
    await books.asOwner(
      'UPDATE payout SET amount_paise = amount_paise - 1 WHERE id = $1',
      sold.payoutId,
    );
    await makeRun('REPORT');
    expect((await replica()).get(check)).toBe(0);
  });

  it('show rows that break a rule by invariant, and the drift of a place', async () => {
    const { userId } = await books.buy();
    const change = (by: string) =>
      books.asOwner(`UPDATE holding SET balance = balance ${by} WHERE user_id = $1`, userId);
    await makeRun('DATABASE_RULES');
    const [findings, drift] = [
      'database_rule_findings{invariant="1"}',
      'ledger_drift{place="held_grams"}',
    ];
    const before = await replica();
    expect(before.get(drift)).toBe(0);
    await change('+ 0.5');
    await makeRun('DATABASE_RULES');
    const shown = await replica();
    expect(shown.get(findings)).toBeGreaterThan(before.get(findings) ?? 0);
    expect(shown.get(drift)).toBe(0.5);
    expect(shown.get('reconciliation_age_seconds{kind="database_rules"}')).toBeLessThan(60);
    await change('- 0.5');
    await makeRun('DATABASE_RULES');
    expect((await replica()).get(drift)).toBe(0);
  });
});

/** Returns the value of the series of a name that has a label. */
const valueOf = async (name: string, label = ''): Promise<number> => {
  const { body } = await books.system.metrics.text();
  const line = body.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label));
  return Number(line?.split(' ').at(-1) ?? 0);
};

const allocations = () => valueOf('capture_to_allocation_seconds_count');
const events = () => valueOf('webhook_lag_seconds_count', 'source="payment"');
const circuit = () => valueOf('collaborator_circuit_open', 'collaborator="safegold"');

describe('a process', () => {
  it('observes the wait of orders for their gold, and of events for their effect', async () => {
    const [allocated, applied] = [await allocations(), await events()];
    await books.buy();
    expect(await allocations()).toBe(allocated + 1);
    expect(await events()).toBeGreaterThan(applied);
  });

  it('shows the circuit of a collaborator that fails', async () => {
    expect(await circuit()).toBe(0);
    const fault = { operation: '*', fault: 'error', times: 100 };
    await books.control('POST', '/faults', { collaborator: 'safegold', ...fault });
    const { price } = books.services;
    for (let attempt = 0; attempt < 9; attempt += 1) await price.fetchPrice();
    expect(await circuit()).toBe(1);
    await books.control('DELETE', '/faults');
    await eventually(async () => {
      await price.fetchPrice();
      return (await circuit()) === 0;
    });
  });
});
