import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCi } from '../../src/adapters/ci/create-ci.ts';
import type { Ci } from '../../src/adapters/ci/port.ts';
import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { eventually } from '#test/support/eventually.ts';
import { startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';

let fixture: AdapterFixture;
let ci: Ci & Closable;
let logged: string[];

const write = (fields: object, message: string): void => {
  logged.push(JSON.stringify({ ...fields, message }));
};

const open = (changes: Readonly<Record<string, string>> = {}): Ci & Closable => {
  const made = createCi(
    { ...fixture.env, ...changes },
    {
      ...fixture.deps,
      logger: { debug: write, warn: write },
    },
  );
  if (made === undefined) throw new Error('there is a token');
  return made;
};

const deploy = (correlationId: string) =>
  ci.dispatch({ target: 'backend', branch: 'main', correlationId });
const backendRuns = async (count = 100) =>
  valueOf(await ci.listRuns({ target: 'backend', count })).runs;
const found = async (correlationId: string) =>
  (await backendRuns()).find((run) => run.correlationId === correlationId);

beforeAll(async () => {
  fixture = await startAdapterFixture('github', { settleMs: 3000 });
});
afterAll(() => fixture.sandbox.stop());
beforeEach(async () => {
  await fixture.control('POST', '/reset');
  logged = [];
  // A new one for each test, so that no circuit is left open.
  ci = open();
});
afterEach(() => ci.close());

describe('a dispatch', () => {
  test('starts the workflow of its target, and tells which run it is', async () => {
    const id = randomUUID();
    const { run } = valueOf(await deploy(id));
    expect(await found(id)).toMatchObject({
      id: run?.id,
      url: run?.url,
      target: 'backend',
      workflow: 'deploy-backend.yml',
      title: `Deploy backend (${id})`,
      branch: 'main',
      event: 'workflow_dispatch',
      actor: 'deployer',
    });
  });

  test("goes as GitHub's API wants it, with the token in its header alone", async () => {
    const id = randomUUID();
    await deploy(id);
    const [entry] = await fixture.calls('dispatch');
    expect(entry).toMatchObject({
      method: 'POST',
      path: '/github/repos/digital-gold/service/actions/workflows/deploy-backend.yml/dispatches',
      body: { ref: 'main', inputs: { correlation_id: id }, return_run_details: true },
    });
    const token = fixture.env['GITHUB_TOKEN'] ?? '';
    expect(token).not.toBe('');
    expect(JSON.stringify(entry)).not.toContain(token);
    expect(logged.join()).toContain('"operation":"dispatch"');
    expect(logged.join()).not.toContain(token);
    expect(logged.join()).not.toContain(fixture.sandbox.url);
  });

  test("goes to its target's own repository, where it has one", async () => {
    await ci.dispatch({ target: 'website', branch: 'main', correlationId: randomUUID() });
    const [entry] = await fixture.calls('dispatch');
    expect(entry).toMatchObject({
      path: '/github/repos/digital-gold/site/actions/workflows/deploy-website.yml/dispatches',
    });
  });

  test.each([
    ['error', false],
    ['timeout', false],
    ['reset', false],
    ['malformed', true],
    ['accept_then_timeout', true],
  ])('is undecided after %s and not sent twice; started: %s', async (fault, isStarted) => {
    const id = randomUUID();
    await fixture.fault('dispatch', fault, { delayMs: 100 });
    expect(await deploy(id)).toMatchObject({ kind: 'unknown' });
    expect(await fixture.calls('dispatch')).toHaveLength(1);
    expect((await found(id)) !== undefined).toBe(isStarted);
  });

  test('that is worked at after its caller gave up is found by its correlation id', async () => {
    const id = randomUUID();
    await fixture.fault('dispatch', 'slow', { delayMs: 3000 });
    const hasty = open({ GITHUB_TIMEOUT_MS: '1500' });
    const dispatch = { target: 'backend', branch: 'main', correlationId: id } as const;
    expect(await hasty.dispatch(dispatch)).toMatchObject({ kind: 'unknown' });
    await hasty.close();
    await eventually(async () => expect(await found(id)).toBeDefined());
    expect(await fixture.calls('dispatch')).toHaveLength(1);
  });

  test('has no figure that could be wrong', async () => {
    await fixture.fault('dispatch', 'wrong_amount');
    expect(await deploy(randomUUID())).toMatchObject({ kind: 'done' });
  });

  test('of a server that answers blank is done, without a run', async () => {
    await fixture.fault('dispatch', 'error', { status: 204 });
    expect(await deploy(randomUUID())).toEqual({ kind: 'done', value: {} });
  });

  test.each([
    [401, 'NOT_AUTHORISED'],
    [403, 'NOT_AUTHORISED'],
    [429, 'RATE_LIMITED'],
    [404, 'CI_REFUSED'],
    [422, 'CI_REFUSED'],
    [301, 'CI_REFUSED'],
  ])('that was turned away with %s is refused: %s', async (status, code) => {
    await fixture.fault('dispatch', 'error', { status });
    expect(await deploy(randomUUID())).toMatchObject({ kind: 'refused', code });
    expect(await fixture.calls('dispatch')).toHaveLength(1);
  });

  test('of a branch that is not there is refused, in its words', async () => {
    const dispatch = { target: 'backend', branch: 'other', correlationId: randomUUID() } as const;
    expect(await ci.dispatch(dispatch)).toEqual({
      kind: 'refused',
      code: 'CI_REFUSED',
      message: '422: No ref found for: other',
    });
  });

  test('to nobody is refused: nothing was sent', async () => {
    await ci.close();
    ci = open({ GITHUB_API_URL: 'http://127.0.0.1:1' });
    expect(await deploy(randomUUID())).toMatchObject({ kind: 'refused', code: 'NOT_SENT' });
  });

  test('with another token is refused', async () => {
    await ci.close();
    ci = open({ GITHUB_TOKEN: 'another-token-of-nobody-at-all' });
    expect(await deploy(randomUUID())).toMatchObject({ code: 'NOT_AUTHORISED' });
  });
});

describe('runs', () => {
  test('are the newest of a target, newest first', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of ids) valueOf(await deploy(id));
    await ci.dispatch({ target: 'monitoring', branch: 'main', correlationId: randomUUID() });
    const all = (await backendRuns()).map((run) => run.correlationId);
    expect(all).toEqual(ids.toReversed());
    expect(await backendRuns(2)).toHaveLength(2);
  });

  test('come to their end, and tell how', async () => {
    const [good, bad] = [randomUUID(), randomUUID()];
    valueOf(await deploy(good));
    expect((await found(good))?.conclusion).toBeUndefined();
    valueOf(await deploy(bad));
    await fixture.control('POST', `/runs/${bad}`, { conclusion: 'failure' });
    expect(await found(bad)).toMatchObject({ status: 'completed', conclusion: 'failure' });
    await eventually(async () =>
      expect(await found(good)).toMatchObject({ status: 'completed', conclusion: 'success' }),
    );
  });

  test.each(['error', 'reset'])('are asked for again after %s', async (fault) => {
    await fixture.fault('list-runs', fault);
    expect(await backendRuns()).toEqual([]);
    expect(await fixture.calls('list-runs')).toHaveLength(2);
  });

  test.each(['error', 'timeout', 'reset', 'malformed', 'accept_then_timeout'])(
    'are not known after %s, time and again',
    async (fault) => {
      await fixture.fault('list-runs', fault, { times: 3, delayMs: 100 });
      expect(await ci.listRuns({ target: 'backend', count: 1 })).toMatchObject({ kind: 'unknown' });
    },
  );

  test.each(['slow', 'wrong_amount'])('are the true ones after %s', async (fault) => {
    const id = randomUUID();
    await deploy(id);
    await fixture.fault('list-runs', fault, { delayMs: 100 });
    expect(await found(id)).toBeDefined();
  });

  test.each([
    [401, 'NOT_AUTHORISED'],
    [429, 'RATE_LIMITED'],
    [404, 'CI_REFUSED'],
  ])('are refused with %s: %s', async (status, code) => {
    await fixture.fault('list-runs', 'error', { status });
    expect(await ci.listRuns({ target: 'backend', count: 1 })).toMatchObject({
      kind: 'refused',
      code,
    });
  });

  test('fit, a hundred of them', async () => {
    for (let count = 0; count < 100; count += 1) await deploy(randomUUID());
    expect(await backendRuns()).toHaveLength(100);
  });
});
