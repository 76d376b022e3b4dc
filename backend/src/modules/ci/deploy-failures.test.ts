import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import { detailsOf, openCi, type OpenCi } from '#test/support/open-ci.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';

let open: OpenCi;

beforeAll(async () => {
  open = await openCi();
});
beforeEach(() => open.startOver());
afterAll(() => open.close());

describe('a dispatch that is not accepted', () => {
  it.each([
    ['error', { status: 422 }, 'CI_REFUSED'],
    ['error', { status: 404 }, 'CI_REFUSED'],
    ['error', { status: 401 }, 'CI_UNAVAILABLE'],
    ['error', { status: 429 }, 'CI_UNAVAILABLE'],
  ])('with %s %j is %s, is recorded, and delays no other', async (kind, more, code) => {
    await open.fault('dispatch', kind, more);
    const answer = await open.deploy();
    expect(answer).toMatchObject({ status: 502, code });
    const { correlationId } = detailsOf(answer);
    const [trigger] = await open.triggers();
    expect(trigger).toMatchObject({ id: correlationId, status: 'REFUSED' });
    expect(await open.audited(answer)).toMatchObject([
      { action: 'devops.deploy.trigger' },
      { action: 'devops.deploy.outcome', after: { correlationId, status: 'REFUSED' } },
    ]);
    expect((await open.deploy()).status).toBe(202);
  });

  it.each([
    ['error', { status: 500 }, false],
    ['timeout', { delayMs: 100 }, false],
    ['reset', {}, false],
    ['malformed', {}, true],
    ['accept_then_timeout', { delayMs: 100 }, true],
  ])('after %s %j is unknown, said so, and found by its id: %s', async (kind, more, isStarted) => {
    await open.fault('dispatch', kind, more);
    const answer = await open.deploy('monitoring');
    expect(answer).toMatchObject({ status: 502, code: 'DEPLOY_OUTCOME_UNKNOWN' });
    const { correlationId, target } = detailsOf(answer);
    expect(target).toBe('monitoring');
    expect((await open.triggers())[0]).toMatchObject({ id: correlationId, status: 'UNKNOWN' });
    expect(await open.audited(answer)).toMatchObject([
      { action: 'devops.deploy.trigger' },
      { action: 'devops.deploy.outcome', after: { correlationId, status: 'UNKNOWN' } },
    ]);
    const { body } = await open.as(open.boss.token)('GET', '/devops/runs?target=monitoring');
    const found = body['items'] as { correlationId: string }[];
    expect(found.some((run) => run.correlationId === correlationId)).toBe(isStarted);
    expect(await open.sent()).toHaveLength(1);
    expect((await open.deploy()).status).toBe(429);
  });

  it('delays others while it is in progress', async () => {
    await open.fault('dispatch', 'slow', { delayMs: 1500 });
    const first = open.deploy();
    await eventually(async () =>
      expect((await open.triggers())[0]).toMatchObject({ status: 'DISPATCHING' }),
    );
    expect((await open.deploy()).status).toBe(429);
    expect((await first).status).toBe(202);
  });

  it('puts neither token nor address into a response, a log or a row', async () => {
    await open.fault('dispatch', 'error', { status: 422 });
    const answer = await open.deploy();
    const rows = [await open.audited(answer), await open.triggers()];
    const text = JSON.stringify([answer.body, rows], (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    for (const place of [text, open.system.logged()]) {
      expect(place).not.toContain(open.token);
      expect(place).not.toContain(`${open.system.sandbox.url}/github`);
    }
  });
});

describe('the status that the database keeps', () => {
  it('is a known status', async () => {
    const sql = "UPDATE deploy_trigger SET status = 'LOST'";
    await open.deploy();
    const change = withConnection(open.system.addresses.appUrl, (client) => client.query(sql));
    await expect(change).rejects.toThrow(/deploy_trigger_status_check/u);
  });

  it('does not decide the response, which is sent even if the outcome could not be recorded', async () => {
    const inTransaction: InTransaction = (work, options) => {
      writes += 1;
      return writes === 1
        ? open.system.inTransaction(work, options)
        : Promise.reject(new Error('the database is gone'));
    };
    const database = { ...open.system.database, inTransaction };
    let writes = 0;
    const broken = await open.serve({ clients: { database } });
    const answer = await open.deploy('backend', bearerCaller(broken, open.boss.token));
    expect(answer.status).toBe(202);
    const id = String(answer.body['correlationId']);
    expect((await open.triggers())[0]).toMatchObject({ id, status: 'DISPATCHING' });
    expect(open.system.logged()).toContain('the outcome of a deployment was not recorded');
    expect((await open.deploy()).status).toBe(429);
  });
});
