import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBooks, type OpenBooks } from '#test/support/open-books.ts';
import { createAdmins } from '../admins/index.ts';
import { bearerCaller } from '#test/support/caller.ts';
import { runQueuedJobs } from '#test/support/run-queued-jobs.ts';
import { createReconciliation, createReconciliationPurges } from './index.ts';

let books: OpenBooks;
let ask: Awaited<ReturnType<OpenBooks['operator']>>;
beforeAll(async () => {
  books = await openBooks();
  ask = await books.operator('ADMIN');
  await books.buy();
  await books.sell();
});
afterAll(() => books.close());

/** Requests a run of the usual window and makes it. */
const makeRun = async (): Promise<string> => {
  const { status, body } = await ask('POST', '/reconciliation/runs', {});
  expect(status).toBe(202);
  await books.drain();
  return String(body['id']);
};

/** Returns the ids of the checks whose status is not OK. */
const notOk = (body: Readonly<Record<string, unknown>>): string[] =>
  (body['checks'] as { id: string; status: string }[])
    .filter(({ status }) => status !== 'OK')
    .map(({ id }) => id);

describe('a run that an operator asks for', () => {
  it('is queued and made, and keeps its findings', async () => {
    const asked = await ask('POST', '/reconciliation/runs', { windowHours: 24 });
    expect(asked).toMatchObject({
      status: 202,
      body: { status: 'QUEUED', trigger: 'OPERATOR', windowHours: 24, summary: null },
    });
    const again = await ask('POST', '/reconciliation/runs', { windowHours: 24 });
    expect(again.body['id']).toBe(asked.body['id']);
    await books.drain();
    const { body } = await ask('GET', `/reconciliation/runs/${String(asked.body['id'])}`);
    const summary = { ok: 13, findings: 0, errors: 0 };
    expect(body).toMatchObject({
      status: 'DONE',
      checksDone: 13,
      summary,
      report: { windowHours: 24, summary, runId: asked.body['id'] },
    });
    const listed = await ask('GET', '/reconciliation/runs');
    expect(listed.body['items']).toMatchObject([{ id: asked.body['id'], status: 'DONE' }]);
  });

  it('is audited, once', async () => {
    const runId = await makeRun();
    const rows = await books.system.db.auditLog.findMany({
      where: { action: 'reconciliation.run', targetId: runId },
    });
    expect(rows).toHaveLength(1);
  });

  it.each([0, 721, 1.5, '72'])('has a window of 1 to 720 hours, not %s', async (windowHours) => {
    const refused = await ask('POST', '/reconciliation/runs', { windowHours });
    expect(refused).toMatchObject({ status: 400, field: 'windowHours' });
  });

  it('is refused to operators who only read, and an unknown run is not found', async () => {
    const support = await books.operator('SUPPORT');
    expect((await support('POST', '/reconciliation/runs', {})).status).toBe(403);
    expect((await support('GET', '/reconciliation/runs')).status).toBe(200);
    expect((await support('GET', `/reconciliation/runs/${randomUUID()}`)).status).toBe(404);
  });
});

describe('the report', () => {
  it('is that of the stored run with its age if the caller allows it, and else of a new run', async () => {
    const runId = await makeRun();
    const { orderId } = await books.buy();
    await books.asOwner(
      'UPDATE payment_order SET amount_paise = amount_paise + 1 WHERE order_id = $1',
      orderId,
    );
    await books.advance(90);
    const stored = await ask('GET', '/reconciliation?max_age_seconds=3600');
    expect(stored.body).toMatchObject({ runId });
    expect(stored.body['ageSeconds']).toBeGreaterThanOrEqual(90);
    expect(notOk(stored.body)).toEqual([]);
    for (const query of ['', '?max_age_seconds=0', '?max_age_seconds=60']) {
      const fresh = await ask('GET', `/reconciliation${query}`);
      expect(fresh.body).toMatchObject({ runId: null, ageSeconds: 0 });
      expect(notOk(fresh.body)).toEqual(['payment_amount_mismatch']);
    }
    await books.asOwner(
      'UPDATE payment_order SET amount_paise = amount_paise - 1 WHERE order_id = $1',
      orderId,
    );
  });

  it('is that of the stored run if the window is too large for a request', async () => {
    const { system, deps } = books;
    const { adminRoutes } = createReconciliation({ ...deps, smallWindow: 0 });
    const guard = createAdmins({ ...system, tokenTtlSeconds: 3600 }).guard;
    const url = await system.serve({ prefix: '/v1', guard, routes: adminRoutes });
    const { token } = await books.factories.admin('SUPPORT');
    const call = bearerCaller(url, token);
    const runId = await makeRun();
    expect((await call('GET', '/reconciliation')).body).toMatchObject({ runId, windowHours: 72 });
    const shorter = await call('GET', '/reconciliation?window_hours=71');
    expect(shorter.body).toMatchObject({ runId: null, summary: { errors: 0 } });
  });

  it.each(['x', '-1', '1.5'])('refuses an age of "%s"', async (age) => {
    const refused = await ask('GET', `/reconciliation?max_age_seconds=${age}`);
    expect(refused).toMatchObject({ status: 400, field: 'max_age_seconds' });
  });
});

const countScheduled = () =>
  books.system.db.reconciliationRun.count({ where: { trigger: 'SCHEDULE', status: 'QUEUED' } });
const sweep = async (reconciliation: ReturnType<typeof createReconciliation>): Promise<void> => {
  for (const { run } of reconciliation.sweeps) await run(new AbortController().signal);
};

describe('the schedule', () => {
  it('waits for the next full hour, and queues a run at once after hours without a run', async () => {
    await sweep(createReconciliation(books.deps));
    expect(await countScheduled()).toBe(0);
    await books.asOwner(
      `INSERT INTO reconciliation_run (id, kind, window_hours, trigger, status, due_at,
         requested_at, finished_at, generated_at, checks)
       VALUES ($1, 'REPORT', 72, 'SCHEDULE', 'DONE', date_trunc('hour', now()) - interval '3 hours',
         now() - interval '3 hours', now(), now() - interval '3 hours', '[]')`,
      randomUUID(),
    );
    await sweep(createReconciliation(books.deps));
    await sweep(createReconciliation(books.deps));
    expect(await countScheduled()).toBe(1);
    await books.drain();
    expect(await countScheduled()).toBe(0);
    await sweep(createReconciliation(books.deps));
    expect(await countScheduled()).toBe(0);
  });

  it('fails a run without progress, so that it does not block other runs', async () => {
    const { body } = await ask('POST', '/reconciliation/runs', { windowHours: 5 });
    await books.asOwner(
      `UPDATE reconciliation_run SET touched_at = now() - interval '2 hours' WHERE id = $1`,
      body['id'],
    );
    await sweep(createReconciliation(books.deps));
    const run = await ask('GET', `/reconciliation/runs/${String(body['id'])}`);
    expect(run.body).toMatchObject({ status: 'FAILED', report: null });
  });

  it('continues after its first pass has failed at the database', async () => {
    let isAvailable = false;
    const db = new Proxy(books.deps.db, {
      get(target, name) {
        if (name === '$queryRaw' && !isAvailable) {
          return () => Promise.reject(new Error('the database is unavailable'));
        }
        return Reflect.get(target, name);
      },
    });
    const reconciliation = createReconciliation({ ...books.deps, db });
    await expect(sweep(reconciliation)).rejects.toThrow('the database is unavailable');
    isAvailable = true;
    await expect(sweep(reconciliation)).resolves.toBeUndefined();
  });
});

const restAdvice = 'the next runs check the rest';

/** Makes runs until one has checked the provider's books. Returns the detail of each run's check. */
const makeRunsUntilWhole = async (
  jobs: ReturnType<typeof createReconciliation>['jobs'],
): Promise<readonly (string | undefined)[]> => {
  const details: (string | undefined)[] = [];
  while (details.length < 20) {
    const { body } = await ask('POST', '/reconciliation/runs', {});
    await runQueuedJobs(books.system, jobs);
    const run = await ask('GET', `/reconciliation/runs/${String(body['id'])}`);
    const report = run.body['report'] as { checks: { id: string; detail?: string }[] };
    const detail = report.checks.find(({ id }) => id === 'provider_transaction_mismatch')?.detail;
    details.push(detail);
    if (detail === undefined) break;
  }
  return details;
};

/** Creates a gold provider that records the transactions whose status was queried. */
const recordQueries = () => {
  const queried: string[] = [];
  const { goldProvider: real } = books.deps;
  const goldProvider: typeof real = {
    ...real,
    buyStatus: (transaction) => {
      queried.push(transaction.providerTxId);
      return real.buyStatus(transaction);
    },
    sellStatus: (transaction) => {
      queried.push(transaction.providerTxId);
      return real.sellStatus(transaction);
    },
  };
  return { queried, goldProvider };
};

describe('a window with more rows than one run may query', () => {
  it('is checked over several runs, which query each order once if the window is large', async () => {
    const { queried, goldProvider } = recordQueries();
    for (let bought = 0; bought < 3; bought += 1) await books.buy();
    await books.asOwner('DELETE FROM reconciliation_agreement');
    const runLimits = { maxRequests: 2, concurrency: 1, withinMs: 60_000, pageRows: 2, restAdvice };
    const { jobs } = createReconciliation({ ...books.deps, goldProvider, runLimits });
    const details = await makeRunsUntilWhole(jobs);
    expect(details[0]).toMatch(/^checked 2 of \d+: the next runs check the rest/u);
    expect(details.at(-1)).toBeUndefined();
    expect(queried.length).toBeGreaterThan(4);
    expect(new Set(queried).size).toBe(queried.length);
  });

  it('is checked over several runs and then again if the window is small', async () => {
    const { queried, goldProvider } = recordQueries();
    await books.asOwner('DELETE FROM reconciliation_agreement');
    const runLimits = { maxRequests: 2, concurrency: 1, withinMs: 60_000, restAdvice };
    const { jobs } = createReconciliation({ ...books.deps, goldProvider, runLimits });
    const details = await makeRunsUntilWhole(jobs);
    expect(details[0]).toMatch(/^checked 2 of \d+: the next runs check the rest/u);
    expect(details.at(-1)).toBeUndefined();
    const earlierQueries = queried.length;
    expect(await makeRunsUntilWhole(jobs)).toEqual([undefined]);
    expect(queried.length).toBe(earlierQueries + 2);
  });

  it('forgets agreements that no window reaches, and old runs', async () => {
    const purges = createReconciliationPurges(books.system);
    const counts = async () => ({
      agreements: await books.system.db.reconciliationAgreement.count(),
      runs: await books.system.db.reconciliationRun.count(),
    });
    expect((await counts()).agreements).toBeGreaterThan(0);
    await books.advance(91 * 24 * 60 * 60);
    for (const { deleteBatch } of purges) await deleteBatch(1000);
    expect(await counts()).toEqual({ agreements: 0, runs: 0 });
  });
});
