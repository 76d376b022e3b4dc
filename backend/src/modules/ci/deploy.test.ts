import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFactories } from '#test/support/factories.ts';
import { openCi, type OpenCi } from '#test/support/open-ci.ts';
import { freePort } from '../../../dev/stack/free-port.ts';
import { createRedis } from '../../platform/redis/index.ts';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

let open: OpenCi;

beforeAll(async () => {
  open = await openCi();
});
beforeEach(() => open.startOver());
afterAll(() => open.close());

describe('a deployment', () => {
  it.each(['backend', 'website', 'admin-portal', 'monitoring'])(
    'of the %s is started on main, and shown until its end',
    async (target) => {
      const { status, body } = await open.deploy(target);
      expect(status).toBe(202);
      expect(body).toEqual({
        correlationId: expect.stringMatching(uuid),
        target,
        workflow: `deploy-${target}.yml`,
        branch: 'main',
        dispatchedAt: expect.stringMatching(/Z$/u),
        run: { id: expect.any(String), url: expect.any(String) },
      });
      const { correlationId, run } = body as { correlationId: string; run: { id: string } };
      expect(await open.sent()).toMatchObject([
        { body: { ref: 'main', inputs: { correlation_id: correlationId } } },
      ]);
      await eventually(async () => {
        const { body: runs } = await open.as(open.boss.token)(
          'GET',
          `/devops/runs?target=${target}`,
        );
        expect(runs['items']).toMatchObject([
          { id: run.id, target, correlationId, status: 'completed', conclusion: 'success' },
        ]);
      });
    },
  );

  it('is recorded before and after the call, with actor, address and target', async () => {
    const answer = await open.deploy('website');
    const { correlationId, run } = answer.body as { correlationId: string; run: { id: string } };
    expect(
      await open.system.db.deployTrigger.findUnique({ where: { id: correlationId } }),
    ).toMatchObject({
      target: 'website',
      status: 'DISPATCHED',
      actorId: open.boss.adminId,
      detail: `run ${run.id}`,
    });
    const by = { actorEmail: open.boss.email, actorRole: 'SUPER_ADMIN', targetId: 'website' };
    expect(await open.audited(answer)).toMatchObject([
      {
        action: 'devops.deploy.trigger',
        ...by,
        before: null,
        after: { correlationId, branch: 'main', status: 'DISPATCHING' },
      },
      {
        action: 'devops.deploy.outcome',
        ...by,
        before: { correlationId, status: 'DISPATCHING' },
        after: { correlationId, status: 'DISPATCHED', detail: `run ${run.id}` },
      },
    ]);
  });

  it('is for super admins', async () => {
    const callers = [undefined, open.support.token, open.admin.token, 'nonsense'];
    const answers = await Promise.all(
      callers.map((credential) => open.deploy('backend', open.as(credential))),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 403, 403, 401]);
    expect(await open.sent()).toEqual([]);
  });

  it.each([null, '', 'Backend', 'backend ', 'all', 7, ['backend'], {}])(
    'of %j is refused',
    async (target) => {
      const answer = await open.deploy(target);
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field: 'target' });
      expect(await open.sent()).toEqual([]);
    },
  );
});

describe('another deployment', () => {
  it('has to wait for the remaining time of 60 s, for every operator and target', async () => {
    await open.deploy('backend');
    await open.age(20_000);
    const other = await createFactories(open.system).admin('SUPER_ADMIN');
    const before = (await open.triggers()).length;
    const answer = await open.deploy('website', open.as(other.token));
    expect(answer).toMatchObject({ status: 429, code: 'DEPLOY_TOO_SOON' });
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(20);
    expect(wait).toBeLessThanOrEqual(40);
    expect(await open.sent()).toHaveLength(1);
    expect(await open.triggers()).toHaveLength(before);
    expect(await open.audited(answer)).toEqual([]);
  });

  it('is possible after 60 s of real time, and not by moving the clock', async () => {
    await open.deploy();
    open.system.clock.advance(3_600_000);
    expect((await open.deploy()).status).toBe(429);
    open.system.clock.advance(-7_200_000);
    expect((await open.deploy()).status).toBe(429);
    open.system.clock.advance(3_600_000);
    await open.age(60_000);
    expect((await open.deploy()).status).toBe(202);
  });

  it('is not delayed for long by a time ahead of the clock', async () => {
    await open.deploy();
    await open.age(-30_000);
    const answer = await open.deploy();
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBe(60);
    await open.age(-1_800_000);
    expect((await open.deploy()).status).toBe(202);
  });

  it('is started only once by twenty concurrent requests to two replicas', async () => {
    const replica = bearerCaller(await open.serve(), open.boss.token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        open.deploy('backend', at % 2 === 0 ? undefined : replica),
      ),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'DEPLOY_TOO_SOON')).toHaveLength(19);
    expect(await open.sent()).toHaveLength(1);
  });

  it('is delayed even while the cache is down', async () => {
    const redis = createRedis(`redis://127.0.0.1:${await freePort()}`, 'fail-fast');
    const alone = bearerCaller(await open.serve({ clients: { redis } }), open.boss.token);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => open.deploy('backend', alone)),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'DEPLOY_TOO_SOON')).toHaveLength(4);
    redis.disconnect();
  });
});
