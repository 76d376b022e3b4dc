import { createAdminClient, type AdminClient } from '@digital-gold/client';
import { findViolations } from '#test/support/invariants.ts';
import type { Timers } from '../../src/platform/clock/timers.ts';
import { findClosedGate } from './closed-gate.ts';
import type { Ground } from './ground.ts';
import { answerOf, type Ledger, type Placed } from './ledger.ts';
import { sendPlaced } from './load.ts';

interface RestOptions {
  readonly ground: Ground;
  readonly ledger: Ledger;
  readonly timers: Timers;
  readonly log: (line: string) => void;
}

/** Counts rows that still wait, although nothing prevents them from finishing. */
const stuckSql = `
  SELECT 'order ' || type || ' ' || status AS what, count(*)::int AS count
    FROM gold_order
    WHERE sip_plan_id IS NULL AND manual_review_code IS NULL
      AND status IN ('PENDING', 'PAID', 'RETRY_PENDING', 'VERIFIED') GROUP BY 1
  UNION ALL
  SELECT 'payout ' || status, count(*)::int FROM payout
    WHERE status IN ('PENDING', 'PROCESSING') AND hold IS NULL GROUP BY 1
  UNION ALL
  SELECT 'event ' || status, count(*)::int FROM webhook_event
    WHERE status IN ('RECEIVED', 'PENDING', 'FAILED') GROUP BY 1
  UNION ALL
  SELECT 'locked job', count(*)::int FROM graphile_worker._private_jobs
    WHERE locked_at IS NOT NULL HAVING count(*) > 0
  UNION ALL
  SELECT 'job that is due', count(*)::int FROM graphile_worker._private_jobs
    WHERE run_at < now() AND attempts < max_attempts HAVING count(*) > 0
  UNION ALL
  SELECT 'job given up: ' || task || ' ' || coalesce(last_error, ''), count(*)::int
    FROM dead_letter_job GROUP BY 1`;

interface Stuck {
  readonly what: string;
  readonly count: number;
}

const advance = async ({ endpoints }: Ground, advanceSeconds: number): Promise<void> => {
  await fetch(`${endpoints.sandbox}/_control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds }),
  });
};

/** The number of clients that send at the same time. */
const atOnce = 12;

/** Repeats requests without a decision until they have one, as their clients would. */
const decideOpen = async (
  { ledger, timers, log }: RestOptions,
  longestMs = 180_000,
): Promise<void> => {
  log(`${ledger.open.size} requests without a decision are sent again`);
  const deadline = performance.now() + longestMs;
  const sendAll = async (placed: readonly Placed[]): Promise<void> => {
    for (const one of placed) {
      if (performance.now() < deadline) await sendPlaced(ledger, one);
    }
  };
  while (ledger.open.size > 0 && performance.now() < deadline) {
    const all = [...ledger.open];
    const shares = Array.from({ length: atOnce }, (_, share) =>
      all.filter((_placed, index) => index % atOnce === share),
    );
    await Promise.all(shares.map(sendAll));
    if (ledger.open.size > 0) await timers.sleep(1000);
  }
};

/** Advances the time by minutes until nothing waits. */
const untilNothingWaits = async ({ ground, timers, log }: RestOptions): Promise<Stuck[]> => {
  const deadline = performance.now() + 240_000;
  for (;;) {
    await advance(ground, 300);
    let stuck: Stuck[] = [];
    for (let looks = 0; looks < 15; looks += 1) {
      await timers.sleep(1000);
      stuck = await ground.query<Stuck>(stuckSql);
      if (stuck.length === 0) return [];
    }
    log(`waiting: ${stuck.map(({ what, count }) => `${count} ${what}`).join(', ')}`);
    if (performance.now() > deadline) return stuck;
  }
};

const repeatAll = async ({ ledger, log }: RestOptions): Promise<void> => {
  log(`${ledger.acknowledged.length} acknowledged requests are repeated`);
  for (const placed of ledger.acknowledged) await sendPlaced(ledger, placed);
};

const tableOf: Readonly<Record<Placed['kind'], string>> = {
  buy: 'gold_order',
  sale: 'gold_order',
  plan: 'sip_plan',
  'order of jewellery': 'product_order',
};

/** Returns the acknowledged requests whose row does not exist. */
export const listLost = async ({
  ground,
  ledger,
}: Pick<RestOptions, 'ground' | 'ledger'>): Promise<Placed[]> => {
  const lost: Placed[] = [];
  for (const placed of ledger.acknowledged) {
    const sql = `SELECT 1 FROM ${tableOf[placed.kind]} WHERE id = $1::uuid`;
    if ((await ground.query(sql, [placed.id ?? ''])).length === 0) lost.push(placed);
  }
  return lost;
};

const signInOperator = async ({ ground }: RestOptions): Promise<AdminClient> => {
  const { admin, admins } = ground.endpoints;
  const visitor = createAdminClient({ baseUrl: admin, clientAddress: '10.9.9.9' });
  const { body } = await visitor.post('/v1/auth/login', { body: admins.SUPER_ADMIN });
  return visitor.with({ token: body.accessToken });
};

/**
 * Ends the reviews of sales as an operator does, by the status at the provider after ten minutes.
 */
const resolveSales = async (options: RestOptions): Promise<void> => {
  const { ground, ledger, log } = options;
  const sales = await ground.query<{ id: string }>(
    `SELECT id FROM gold_order WHERE type = 'SELL' AND manual_review_code IS NOT NULL`,
  );
  log(`${sales.length} sales under review are resolved`);
  const operator = await signInOperator(options);
  for (const path of sales) {
    const results: string[] = [];
    for (const resolution of ['RELEASE_SELL', 'CONFIRM_SELL'] as const) {
      const body = { resolution, note: 'after the trouble' };
      try {
        await operator.post('/v1/orders/{id}/resolve', { path, body });
        results.push('done');
        break;
      } catch (error) {
        results.push(answerOf(error));
      }
    }
    const isDone = results.includes('done');
    ledger.count('resolution of a sale', isDone ? 'done' : results.join(', '));
    if (!isDone) ledger.find('a sale cannot be resolved', `${path.id}: ${results.join(', ')}`);
  }
};

/** The maximum number of runs of reconciliation. Each queries as much as its time allows. */
const maxRuns = 10;

/**
 * Lets the worker compare the books, and returns its checks.
 * @throws Error if the run does not end
 */
const compareBooks = async (operator: AdminClient, { timers }: RestOptions) => {
  const { body: asked } = await operator.post('/v1/reconciliation/runs', {
    body: { windowHours: 720 },
  });
  const path = { id: asked.id };
  for (let looks = 0; looks < 300; looks += 1) {
    const { status, report } = (await operator.get('/v1/reconciliation/runs/{id}', { path })).body;
    if (report !== null) return report.checks;
    if (status === 'FAILED') break;
    // An operator has sixty requests a minute.
    await timers.sleep(2000);
  }
  throw new Error('a run of reconciliation does not end');
};

/**
 * Compares the books by runs of the worker. A report within a request must be ready in 15 s, which
 * is not enough on a busy machine after an hour of load.
 */
const reconcile = async (options: RestOptions): Promise<void> => {
  const { ledger, log } = options;
  const operator = await signInOperator(options);
  let checks = await compareBooks(operator, options);
  const isUnfinished = (): boolean => checks.some(({ detail }) => detail?.includes('next runs'));
  for (let runs = 1; runs < maxRuns && isUnfinished(); runs += 1) {
    checks = await compareBooks(operator, options);
  }
  for (const check of checks) {
    if (check.status === 'OK') continue;
    const { id, status, count, detail = '', samples } = check;
    const text = `${id} ${status} ${count}: ${detail} ${JSON.stringify(samples)}`;
    // An order under review waits for a person, and is no difference between the books.
    if (id === 'manual_review_open') log(text.slice(0, 400));
    else ledger.find('reconciliation differs', text.slice(0, 1500));
  }
};

/** Waits until everything has finished. */
export const comeToRest = async (options: RestOptions): Promise<void> => {
  const { ground, ledger } = options;
  // Afterwards only sales under review remain, which wait for an operator.
  await decideOpen(options, 45_000);
  await advance(ground, 300);
  for (const { what, count } of await untilNothingWaits(options)) {
    ledger.find('something is stuck', `${count} ${what}`);
  }
  await resolveSales(options);
  await decideOpen(options);
  for (const placed of ledger.open) {
    ledger.find('a request gets no decision', `${placed.kind}, ${placed.tries} tries`);
  }
  for (const { what, count } of await untilNothingWaits(options)) {
    ledger.find('something is stuck', `${count} ${what}`);
  }
};

/** Checks the rules of the database, and compares it with the collaborators' books. */
export const findBroken = async (
  { ground, ledger }: Pick<RestOptions, 'ground' | 'ledger'>,
  isExpected: (says: string) => boolean = () => false,
): Promise<void> => {
  const at = { databaseUrl: ground.addresses.databaseUrl, sandboxUrl: ground.endpoints.sandbox };
  for (const violation of await findViolations(at)) {
    const row = JSON.stringify(violation.row, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    if (!isExpected(violation.says)) ledger.find(violation.says, row);
  }
};

/** Waits until everything has finished, and makes all checks. */
export const checkAtRest = async (options: RestOptions): Promise<void> => {
  const { ledger, log } = options;
  await comeToRest(options);
  for (const { kind, id = '' } of await listLost(options)) {
    ledger.find('an acknowledged request is lost', `${kind} ${id}`);
  }
  await repeatAll(options);
  await findBroken(options);
  await reconcile(options);
  findClosedGate(options.ground, ledger);
  log('at rest');
};
