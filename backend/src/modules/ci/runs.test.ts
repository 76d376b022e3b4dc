import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerCaller } from '#test/support/caller.ts';
import { detailsOf, openCi, type OpenCi } from '#test/support/open-ci.ts';

let open: OpenCi;

beforeAll(async () => {
  open = await openCi();
});
beforeEach(() => open.startOver());
afterAll(() => open.close());

describe('runs', () => {
  it('of all targets are listed newest first, with a limit for each target', async () => {
    const workflows = ['backend', 'website', 'backend', 'backend'];
    for (const target of workflows) {
      const path = `/repos/digital-gold/service/actions/workflows/deploy-${target}.yml/dispatches`;
      await open.system.sandbox.github('POST', path, { ref: 'main' });
    }
    const { body: seen } = await open.system.sandbox.control('GET', '/runs');
    const items = seen['items'] as { id: string; workflow: string }[];
    const website = items.find(({ workflow }) => workflow === 'deploy-website.yml');
    const end = { conclusion: 'failure' };
    await open.system.sandbox.control('POST', `/runs/${website?.id}`, end);
    const { status, body } = await open.as(open.boss.token)('GET', '/devops/runs?per_page=2');
    expect(status).toBe(200);
    const runs = body['items'] as { target: string; createdAt: string }[];
    expect(runs.map(({ target }) => target).toSorted()).toEqual(['backend', 'backend', 'website']);
    const times = runs.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(body['items']).toContainEqual({
      id: expect.any(String),
      target: 'website',
      workflow: 'deploy-website.yml',
      title: 'Deploy website',
      correlationId: null,
      status: 'completed',
      conclusion: 'failure',
      branch: 'main',
      event: 'workflow_dispatch',
      actor: 'deployer',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      url: expect.any(String),
    });
  });

  it('are for super admins and admins', async () => {
    const callers = [open.boss.token, open.admin.token, open.support.token, undefined];
    const answers = await Promise.all(
      callers.map((credential) => open.as(credential)('GET', '/devops/runs')),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401]);
  });

  it.each([
    ['target=all', 'target'],
    ['target=', 'target'],
    ['target=backend&target=website', 'target'],
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['per_page=ten', 'per_page'],
  ])('refuse ?%s', async (query, field) => {
    const answer = await open.as(open.boss.token)('GET', `/devops/runs?${query}`);
    expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', field });
  });

  it.each([
    ['timeout', { delayMs: 100 }, 'CI_UNAVAILABLE'],
    ['malformed', {}, 'CI_UNAVAILABLE'],
    ['error', { status: 401 }, 'CI_UNAVAILABLE'],
    ['error', { status: 404 }, 'CI_REFUSED'],
  ])('with %s %j are %s, with the target', async (kind, more, code) => {
    await open.fault('list-runs', kind, { times: 3, ...more });
    const answer = await open.as(open.boss.token)('GET', '/devops/runs?target=website');
    expect(answer).toMatchObject({ status: 502, code });
    expect(detailsOf(answer)).toEqual({ target: 'website', workflow: 'deploy-website.yml' });
  });
});

it('without a token both routes answer 503 to a valid request and change nothing', async () => {
  const bare = await open.serve({ env: { GITHUB_TOKEN: '' } });
  const before = (await open.triggers()).length;
  const call = bearerCaller(bare, open.boss.token);
  for (const answer of [await call('GET', '/devops/runs'), await open.deploy('backend', call)]) {
    expect(answer).toMatchObject({ status: 503, code: 'CI_NOT_CONFIGURED' });
  }
  expect(await open.deploy('nothing', call)).toMatchObject({ status: 400 });
  expect(await open.deploy('backend', bearerCaller(bare, open.admin.token))).toMatchObject({
    status: 403,
  });
  expect(await open.triggers()).toHaveLength(before);
  expect(await open.sent()).toEqual([]);
});
