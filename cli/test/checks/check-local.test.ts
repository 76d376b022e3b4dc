import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exitCodes } from '../../src/cli-error.ts';
import { readinessReport } from '../support/fake-process.ts';
import { answerOperations, startFakeStack, type FakeStack } from '../support/fake-stack.ts';
import { golden } from '../support/golden.ts';
import { runInProcess } from '../support/run-in-process.ts';

const answer = z.object({
  ok: z.boolean(),
  summary: z.string(),
  records: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      status: z.string(),
      detail: z.string(),
      hint: z.string().nullable(),
    }),
  ),
});

let stack: FakeStack;

beforeEach(async () => {
  stack = await startFakeStack();
});

afterEach(() => stack.close());

const goldctl = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runInProcess(args, { repository: stack.repository, env: { ...stack.env, ...env } });

const check = (...args: readonly string[]) => goldctl(['check', ...args]);

/** Ports and folders differ from run to run. */
const steady = (text: string): string =>
  text.replaceAll(stack.home, '/the/stack').replaceAll(/127\.0\.0\.1:\d+/gu, '127.0.0.1:PORT');

const recordsOf = async (...args: readonly string[]) => {
  const { stdout, code } = await check('-o', 'json', ...args);
  return { code, ...answer.parse(JSON.parse(stdout)) };
};

const statusOf = (records: z.infer<typeof answer>['records'], id: string): string[] =>
  records.filter((record) => record.id === id).map(({ status }) => status);

it('shows that all is well, and exits with 0', async () => {
  const { code, stdout, stderr } = await check();
  expect(stdout).toBe(golden('check-well.txt', stdout));
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'checking configuration, processes, stores, migrations, collaborators, business, operations, ' +
      'network\n',
  });
});

it('warns of what waits for a person, and fails for it with --strict alone', async () => {
  answerOperations(stack, { reviews: 2, failed: 1, dead: 1, dueSeconds: 900 });
  const { code, records, summary } = await recordsOf('--category', 'operations');
  expect(code).toBe(0);
  expect(records.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'dead-jobs warning',
    'oldest-due-job warning',
    'open-reviews warning',
    'failed-payouts warning',
    'last-reconciliation ok',
    'audit-head-noted not-run',
  ]);
  expect(summary).toBe('6 checks: 1 ok, 4 with a warning, 1 not run. Not run: audit-head-noted.');
  const strict = await check('--category', 'operations', '--strict');
  expect(strict.code).toBe(3);
  expect(strict.stderr).toContain('4 checks with a warning, and --strict is given');
  answerOperations(stack);
  expect((await check('--category', 'operations', '--strict')).code).toBe(0);
});

it('says what it did not ask', async () => {
  await stack.worker.close();
  const { summary } = await recordsOf('--category', 'operations');
  expect(summary).toBe(
    '6 checks: 3 ok, 3 not run. Not run: dead-jobs, oldest-due-job, audit-head-noted.',
  );
});

describe('when much is amiss', () => {
  beforeEach(async () => {
    stack.customer.ready({ database: 'failed', cache: 'failed' });
    stack.accounting.answer('/api/v1/accounting/health', 503, {});
    await stack.worker.close();
    const changes = {
      price_feed: { status: 'FAIL', detail: 'No tick since yesterday.' },
      legal_entity: { status: 'FAIL', detail: 'No evidence was provided.' },
      gold_provider: { status: 'UNKNOWN', detail: 'The check could not be run.' },
      moon_phase: { status: 'FAIL', title: 'The moon is full', detail: 'It is \u001b[31mnot.' },
    };
    stack.admin.answer('/v1/readiness', 200, readinessReport(changes));
    writeFileSync(join(stack.settings, 'DIGITAL_SELL_ENABLED'), 'yes\n');
    rmSync(join(stack.settings, 'ACCOUNTING_PORTAL_MODE'));
  });

  it('says what, what to do, and where to read, and exits with 3', async () => {
    const { code, stdout, stderr } = await check();
    expect(steady(stdout)).toBe(golden('check-amiss.txt', steady(stdout)));
    expect(code).toBe(exitCodes.findings);
    expect(stderr).toContain('goldctl: 8 of 33 checks failed\n');
  });

  it('says the same to programs', async () => {
    const { stdout } = await check('-o', 'json');
    expect(steady(stdout)).toBe(golden('check-amiss.json', steady(stdout)));
  });

  it('says it shortly', async () => {
    const { stdout } = await check('--short');
    expect(steady(stdout)).toBe(golden('check-amiss-short.txt', steady(stdout)));
  });
});

it('looks only at the categories asked for', async () => {
  stack.admin.answer('/v1/readiness', 500, {});
  const { records, code } = await recordsOf('--category', 'stores', '--category', 'processes');
  expect(code).toBe(0);
  expect([...new Set(records.map(({ id }) => id))]).toEqual([
    'api-answers',
    'process-ready',
    'database-answers',
    'cache-answers',
    'database-writable',
    'database-time-zone',
    'database-connections',
  ]);
});

it('takes a silent cache for a warning and goes on', async () => {
  stack.worker.ready({ cache: 'failed' });
  const { records, code, ok } = await recordsOf('--category', 'stores');
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(records.find(({ id }) => id === 'cache-answers')).toMatchObject({
    status: 'warning',
    detail: 'It does not answer: worker.',
  });
});

it('leaves out what only an operator may ask, without failing', async () => {
  const env = { ...stack.env, GOLDCTL_TOKEN: '' };
  const { repository } = stack;
  const { stdout, code } = await runInProcess(['check', '-o', 'json'], { env, repository });
  const { records } = answer.parse(JSON.parse(stdout));
  expect(code).toBe(0);
  expect(statusOf(records, 'operator-signed-in')).toEqual(['not-run']);
  expect(statusOf(records, 'first-admin')).toEqual(['not-run']);
  expect(statusOf(records, 'gold-provider')).toEqual(['not-run']);
  // The processes know of the migrations themselves.
  expect(statusOf(records, 'database-migrations')).toEqual(['ok']);
});

it('fails once, not eleven times, when the credentials are refused', async () => {
  const error = { code: 'UNAUTHENTICATED', message: 'Sign in first.' };
  stack.admin.answer('/v1/readiness', 401, { error });
  const { records, code } = await recordsOf();
  expect(code).toBe(exitCodes.findings);
  expect(records.filter(({ status }) => status === 'failed').map(({ id }) => id)).toEqual([
    'operator-signed-in',
  ]);
  expect(statusOf(records, 'legal-entity')).toEqual(['not-run']);
});

it('does not take an admin API that answers nonsense for well', async () => {
  stack.admin.answer('/v1/readiness', 200, { ready: 'yes' });
  const { records, code } = await recordsOf('--category', 'configuration');
  expect(code).toBe(exitCodes.findings);
  expect(statusOf(records, 'operator-signed-in')).toEqual(['unknown']);
});

it('does not take another server on a probe’s port for a process', async () => {
  stack.worker.answer('/readyz', 200, '<html>');
  const { records } = await recordsOf('--category', 'processes');
  const worker = records.find(({ title }) => title === 'the worker process is ready');
  expect(worker).toMatchObject({
    status: 'failed',
    detail: `${stack.worker.url} does not return a readiness report`,
  });
});

it('exits with 5 when no process of the stack responds, and says so in its records too', async () => {
  await stack.close();
  const { code, stdout } = await runInProcess(['check', '-o', 'json'], { env: stack.env });
  expect(code).toBe(exitCodes.unreachable);
  expect(answer.parse(JSON.parse(stdout)).records).toMatchObject([
    { id: 'context-found', status: 'failed' },
  ]);
});

it('exits with 2 for a category that a local stack has not, or that nobody has', async () => {
  expect((await check('--category', 'pods')).code).toBe(exitCodes.usage);
  expect((await check('--category', 'podz')).code).toBe(exitCodes.usage);
  expect((await check('--wait', 'soon')).code).toBe(exitCodes.usage);
});
