import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { openCuttableServer } from '#test/support/cuttable-server.ts';
import { eventually } from '#test/support/eventually.ts';
import { createGate } from '#test/support/gate.ts';
import { detailsOf, openCi, type OpenCi } from '#test/support/open-ci.ts';
import type { Ci } from '../../adapters/ci/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { done } from '../../platform/outcome/outcome.ts';

const minuteMs = 60_000;

let open: OpenCi;

beforeAll(async () => {
  open = await openCi();
});
beforeEach(async () => {
  await open.startOver();
  // The deployments of earlier tests become decided.
  await open.system.db.deployTrigger.updateMany({ data: { status: 'REFUSED' } });
});
afterAll(() => open.close());

/** Sends a deployment whose response is lost. With `isStarted` the CI system starts it. */
const loseAnswer = async (isStarted: boolean, target = 'backend'): Promise<string> => {
  const kind = isStarted ? 'accept_then_timeout' : 'timeout';
  await open.fault('dispatch', kind, { delayMs: 100, times: 1 });
  const answer = await open.deploy(target);
  expect(answer).toMatchObject({ status: 502, code: 'DEPLOY_OUTCOME_UNKNOWN' });
  const { correlationId } = detailsOf(answer);
  // Another one may now be sent, and this one is old enough to be queried.
  await open.age(minuteMs);
  return correlationId;
};

const rowOf = (id: string) => open.system.db.deployTrigger.findUniqueOrThrow({ where: { id } });

const outcomesOf = async (correlationId: string) => {
  const rows = await open.system.db.auditLog.findMany({
    where: { action: 'devops.deploy.outcome' },
    orderBy: { seq: 'asc' },
  });
  return rows.filter(({ after }) => JSON.stringify(after).includes(correlationId));
};

const runIdOf = async (id: string): Promise<string> => {
  const { body } = await open.system.sandbox.control('GET', '/runs');
  const items = body['items'] as { id: string; correlationId: string | null }[];
  return items.find(({ correlationId }) => correlationId === id)?.id ?? 'none';
};

const undecidedNow = async (query = '') => {
  const { body } = await open.as(open.boss.token)('GET', `/devops/runs${query}`);
  return body['undecided'] as { correlationId: string }[];
};

describe('a deployment of unknown outcome', () => {
  it('is shown, and decided by its id if the CI system has its run', async () => {
    const id = await loseAnswer(true, 'monitoring');
    expect(await undecidedNow()).toEqual([
      {
        correlationId: id,
        target: 'monitoring',
        status: 'UNKNOWN',
        dispatchedAt: (await rowOf(id)).at.toISOString(),
      },
    ]);
    expect(await undecidedNow('?target=backend')).toEqual([]);
    await open.decide();
    const detail = `run ${await runIdOf(id)}`;
    expect(await rowOf(id)).toMatchObject({ status: 'DISPATCHED', detail });
    expect((await outcomesOf(id)).at(-1)).toMatchObject({
      actorApi: 'system',
      actorId: null,
      targetId: 'monitoring',
      before: { correlationId: id, status: 'UNKNOWN' },
      after: { correlationId: id, status: 'DISPATCHED', detail },
    });
    expect(await undecidedNow()).toEqual([]);
    expect(await open.sent()).toHaveLength(1);
  });

  it('is not started if there is no run an hour later, and is undecided before that', async () => {
    const id = await loseAnswer(false);
    await open.decide();
    await open.age(58 * minuteMs);
    await open.decide();
    expect(await rowOf(id)).toMatchObject({ status: 'UNKNOWN', askedAt: expect.any(Date) });
    expect(await undecidedNow()).toMatchObject([{ correlationId: id, status: 'UNKNOWN' }]);
    await open.age(minuteMs);
    await open.decide();
    expect(await rowOf(id)).toMatchObject({ status: 'NOT_STARTED' });
    expect((await outcomesOf(id)).at(-1)).toMatchObject({
      actorApi: 'system',
      before: { status: 'UNKNOWN' },
      after: { correlationId: id, status: 'NOT_STARTED' },
    });
    expect(await open.sent()).toHaveLength(1);
  });

  it('is decided after a process died between the call and its record', async () => {
    let writes = 0;
    const inTransaction: InTransaction = (work, options) => {
      writes += 1;
      return writes === 1
        ? open.system.inTransaction(work, options)
        : Promise.reject(new Error('the process is gone'));
    };
    const database = { ...open.system.database, inTransaction };
    const dying = bearerCaller(await open.serve({ clients: { database } }), open.boss.token);
    const id = String((await open.deploy('website', dying)).body['correlationId']);
    await open.decide();
    expect(await rowOf(id)).toMatchObject({ status: 'DISPATCHING', askedAt: null });
    await open.age(minuteMs);
    await open.decide();
    expect(await rowOf(id)).toMatchObject({ status: 'DISPATCHED' });
    expect(await outcomesOf(id)).toMatchObject([
      { actorApi: 'system', before: { status: 'DISPATCHING' } },
    ]);
  });

  it('is decided by a run behind a hundred newer runs', async () => {
    const id = await loseAnswer(true);
    const path = '/repos/digital-gold/service/actions/workflows/deploy-backend.yml/dispatches';
    for (let count = 0; count < 100; count += 1) {
      await open.system.sandbox.github('POST', path, { ref: 'main' });
    }
    await open.age(2 * 60 * minuteMs);
    await open.decide();
    expect(await rowOf(id)).toMatchObject({ status: 'DISPATCHED' });
  });

  it('stays undecided if the list of runs does not go back far enough', async () => {
    const id = await loseAnswer(false);
    await open.age(2 * 60 * minuteMs);
    const { at } = await rowOf(id);
    const others = (createdAt: Date, unreadable = 0): Ci => ({
      ...open.ci(),
      listRuns: async ({ target, count, page = 1 }) => {
        const runs = Array.from({ length: count }, (_, place) => ({
          id: String(page * count + place),
          target,
          workflow: 'deploy-backend.yml',
          title: 'Deploy backend',
          status: 'completed',
          event: 'workflow_dispatch',
          createdAt,
          updatedAt: createdAt,
          url: 'https://ci.example',
        }));
        return done({ runs, unreadable, hasMore: true });
      },
    });
    await open.decide({ ci: others(addMs(at, -minuteMs)) });
    expect(await rowOf(id)).toMatchObject({ status: 'UNKNOWN' });
    // An unreadable run may be the run of this deployment.
    await open.decide({ ci: others(addMs(at, -10 * minuteMs), 1) });
    expect(await rowOf(id)).toMatchObject({ status: 'UNKNOWN' });
    await open.decide({ ci: others(addMs(at, -10 * minuteMs)) });
    expect(await rowOf(id)).toMatchObject({ status: 'NOT_STARTED' });
  });

  it('stays undecided while the CI system does not respond, and without a CI system', async () => {
    const id = await loseAnswer(false);
    await open.age(2 * 60 * minuteMs);
    await open.fault('list-runs', 'error', { status: 500, times: 20 });
    await open.decide();
    await open.decide({ ci: undefined });
    expect(await rowOf(id)).toMatchObject({ status: 'UNKNOWN', askedAt: expect.any(Date) });
  });
});

describe('concurrent decisions', () => {
  it('record one outcome if two workers find the run', async () => {
    const id = await loseAnswer(true);
    const bothQueried = createGate();
    let queries = 0;
    const ci: Ci = {
      ...open.ci(),
      async listRuns(query) {
        queries += 1;
        if (queries === 2) bothQueried.open();
        await bothQueried.opened;
        return open.ci().listRuns(query);
      },
    };
    await Promise.all([open.decide({ ci }), open.decide({ ci })]);
    expect(await rowOf(id)).toMatchObject({ status: 'DISPATCHED' });
    const bySystem = (await outcomesOf(id)).filter(({ actorApi }) => actorApi === 'system');
    expect(bySystem).toHaveLength(1);
  });

  it('record one outcome if the call responds after the sweep found the run', async () => {
    const way = await openCuttableServer(`${open.system.sandbox.url}/github`);
    // This is longer than the usual timeout, so the call waits until its connection is cut.
    const env = { GITHUB_API_URL: way.url, GITHUB_TIMEOUT_MS: '60000' };
    const call = bearerCaller(await open.serve({ env }), open.boss.token);
    await open.fault('dispatch', 'accept_then_timeout', { delayMs: 60_000, times: 1 });
    const sent = open.deploy('backend', call);
    await eventually(async () => expect(await open.sent()).toHaveLength(1));
    await open.age(minuteMs);
    await open.decide();
    await way.close();
    const { correlationId: id } = detailsOf(await sent);
    expect(await rowOf(id)).toMatchObject({ status: 'DISPATCHED' });
    expect(await outcomesOf(id)).toMatchObject([{ actorApi: 'system' }]);
  });
});

it('the sweep begins with the trigger that was queried longest ago', async () => {
  const [stays, found] = [await loseAnswer(false), await loseAnswer(true)];
  const boss = { actorId: open.boss.adminId, target: 'backend', status: 'UNKNOWN' } as const;
  const at = (await rowOf(stays)).at;
  await open.system.db.deployTrigger.createMany({
    data: Array.from({ length: 100 }, () => ({
      ...boss,
      id: open.system.random.uuid(),
      at: addMs(at, -minuteMs),
    })),
  });
  await open.decide();
  expect(await rowOf(found)).toMatchObject({ status: 'UNKNOWN', askedAt: null });
  await open.decide();
  expect(await rowOf(found)).toMatchObject({ status: 'DISPATCHED' });
  expect(await rowOf(stays)).toMatchObject({ status: 'UNKNOWN' });
});
