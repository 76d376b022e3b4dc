import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeDeployment } from '../support/fake-kubernetes-objects.ts';
import {
  answerAsWell,
  startFakeKubernetes,
  type FakeKubernetes,
} from '../support/fake-kubernetes.ts';
import { answerOperations, startFakeStack, type FakeStack } from '../support/fake-stack.ts';
import { operatorAnswers, writeOperatorProgram } from '../support/operator-answers.ts';
import { runInProcess, type RunOptions } from '../support/run-in-process.ts';
import { startSecureServer, type SecureServer } from '../support/secure-server.ts';

const answer = z.object({
  records: z.array(z.object({ id: z.string(), status: z.string(), detail: z.string() })),
});

let stack: FakeStack;
let cluster: FakeKubernetes;

beforeEach(async () => {
  [stack, cluster] = await Promise.all([startFakeStack(), startFakeKubernetes()]);
});
afterEach(() => Promise.all([stack.close(), cluster.close()]));

type Options = Pick<RunOptions, 'env' | 'now'>;

const run = async (args: readonly string[], options: RunOptions) => {
  const { stdout, code } = await runInProcess(['check', '-o', 'json', ...args], options);
  return { code, records: answer.parse(JSON.parse(stdout)).records };
};

const find = async (ran: ReturnType<typeof run>, id: string) =>
  (await ran).records.find((record) => record.id === id);

/** Runs the check on the local stack and returns one record of it. */
const local = (id: string, { env = {}, now }: Options = {}) =>
  find(
    run([], {
      repository: stack.repository,
      env: { ...stack.env, ...env },
      ...(now !== undefined && { now }),
    }),
    id,
  );

/** Runs it on the release and returns one record of it. */
const release = (id: string, ...args: readonly string[]) =>
  find(run(['--context', 'test', ...args], { env: { ...cluster.env, HOME: '/nowhere' } }), id);

const database = (changes: object) =>
  writeOperatorProgram(stack.repository, {
    'database status': { ...operatorAnswers['database status'], ...changes },
  });

describe('the database of a stack', () => {
  it.each([
    ['database-connections', { connections: 78 }, 'warning', '78 of 97 are in use.'],
    ['database-connections', { connections: 77 }, 'ok', '77 of 97 are in use.'],
    ['database-writable', { readOnly: true }, 'failed', 'It is read-only.'],
    ['database-time-zone', { timeZone: 'Asia/Kolkata' }, 'warning', 'It is Asia/Kolkata.'],
  ])('%s with %j is %s', async (id, changes, status, detail) => {
    database(changes);
    expect(await local(id)).toMatchObject({ status, detail });
  });

  it('is not asked where the service knows no answer', async () => {
    writeOperatorProgram(stack.repository, { 'database status': { version: 'another form' } });
    expect(await local('database-writable')).toMatchObject({ status: 'not-run' });
  });
});

describe('reconciliation', () => {
  it.each([
    [{ findings: 2 }, 'warning', 'The last run, 0 h ago: 2 checks with findings.'],
    [{ ranHoursAgo: 3 }, 'warning', 'The last run, 3 h ago: all checks agree.'],
    [{ ranHoursAgo: 2 }, 'ok', 'The last run, 2 h ago: all checks agree.'],
  ])('whose last run has %j is %s', async (changes, status, detail) => {
    answerOperations(stack, changes);
    expect(await local('last-reconciliation')).toMatchObject({ status, detail });
  });

  it('that never ran is a warning', async () => {
    stack.admin.answer('/v1/reconciliation/runs?page=1&limit=10', 200, { items: [] });
    expect(await local('last-reconciliation')).toMatchObject({
      status: 'warning',
      detail: 'Reconciliation has not run yet.',
    });
  });
});

const entry = (own: string) =>
  writeOperatorProgram(stack.repository, {
    'audit entry --number 7': { number: '7', hash: own, metric: '1', row: null },
  });

describe('the noted head of the audit chain', () => {
  const hash = 'ab'.repeat(32);
  const now = new Date('2026-11-21T10:00:00Z');

  const noted = (text: string, hoursAgo: number) => {
    const path = join(stack.home, 'heads.txt');
    writeFileSync(path, text);
    const at = new Date(now.getTime() - hoursAgo * 3_600_000);
    utimesSync(path, at, at);
    return { env: { GOLDCTL_AUDIT_HEADS: path }, now };
  };

  it.each([
    [1, 'ok', 'Entry 7 was noted 1 h ago.'],
    [30, 'warning', 'Entry 7 was noted 30 h ago.'],
  ])('of %i h ago is %s', async (hours, status, detail) => {
    entry(hash);
    const found = await local('audit-head-noted', noted(`6:${hash}\n7:${hash}\n`, hours));
    expect(found).toMatchObject({ status, detail });
  });

  it('fails where the chain has another one, or none', async () => {
    entry('cd'.repeat(32));
    const options = noted(`7:${hash}\n`, 1);
    expect(await local('audit-head-noted', options)).toMatchObject({
      status: 'failed',
      detail: 'Entry 7 has a different hash than the one that was noted.',
    });
    writeOperatorProgram(stack.repository);
    expect(await local('audit-head-noted', options)).toMatchObject({
      status: 'failed',
      detail: 'Entry 7, which was noted, no longer exists.',
    });
  });

  it('is a warning where the file has none', async () => {
    expect(await local('audit-head-noted', noted('garden\n', 1))).toMatchObject({
      status: 'warning',
    });
    const missing = { env: { GOLDCTL_AUDIT_HEADS: '/nowhere/heads.txt' } };
    expect(await local('audit-head-noted', missing)).toMatchObject({ status: 'warning' });
  });
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

describe('a certificate', () => {
  let server: SecureServer;

  beforeEach(async () => {
    server = await startSecureServer(404, {});
  });
  afterEach(() => server.close());

  it.each([
    [0, 'ok'],
    [20, 'warning'],
    [40, 'failed'],
  ])('in %i days is %s', async (days, status) => {
    const options = { repository: stack.repository, env: stack.env, now: inDays(days) };
    const ran = run(['--admin-url', server.url, '--category', 'network'], options);
    expect(await find(ran, 'certificate-valid')).toMatchObject({ status });
  });

  it('of a host that an ingress names is not asked for where nobody answers', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'digital-gold' };
    const spec = { tls: [{ hosts: ['gold.invalid'], secretName: 'gold-tls' }] };
    cluster.put('ingresses', { metadata: { name: 'gold-customer', labels }, spec });
    const found = await release('certificate-valid', '--category', 'network');
    expect(found).toMatchObject({ status: 'not-run' });
    expect(found?.detail).toContain("can't be reached from here");
  });
});

describe('a release', () => {
  it('without network policies is a warning', async () => {
    cluster.remove('networkpolicies', 'gold-default-deny');
    expect(await release('network-policy-in-force')).toMatchObject({
      status: 'warning',
      detail: 'The release has no network policy.',
    });
  });

  it('whose network policies nobody enforces is a warning', async () => {
    cluster.onExec((exec) =>
      exec.command[1] === '-e' ? { exitCode: 0, stdout: '{"open":true}\n' } : answerAsWell(exec),
    );
    expect(await release('network-policy-in-force')).toMatchObject({
      status: 'warning',
      detail: 'Pod gold-admin-a reaches gold-customer-a, which no policy allows.',
    });
  });

  it('that may not be asked is told as not asked', async () => {
    cluster.state.forbidden.add('list networkpolicies').add('create pods/exec');
    expect(await release('network-policy-in-force')).toMatchObject({ status: 'not-run' });
    expect(await release('database-writable')).toMatchObject({ status: 'not-run' });
  });

  it('of another version than goldctl is a warning', async () => {
    const worker = fakeDeployment('worker');
    const labels = { ...worker.metadata.labels, 'app.kubernetes.io/version': '1.2.3' };
    cluster.put('deployments', { ...worker, metadata: { ...worker.metadata, labels } });
    expect(await release('same-version')).toMatchObject({
      status: 'warning',
      detail: 'goldctl is 0.0.0-test; gold-worker is 1.2.3.',
    });
  });
});

const pre = (id: string) => release(id, '--pre');

const answering = (changes: object) =>
  cluster.onExec(() => {
    const status = { ...operatorAnswers['database status'], ...changes };
    return { exitCode: 0, stdout: JSON.stringify(status) };
  });

describe('before an upgrade', () => {
  it('all is well', async () => {
    const env = { ...cluster.env, HOME: '/nowhere' };
    const { code, records } = await run(['--context', 'test', '--pre', '--strict'], { env });
    expect(code).toBe(0);
    expect(records.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'cluster-version ok',
      'namespace-there ok',
      'rights-to-install ok',
      'no-failed-migration ok',
      'room-for-upgrade ok',
    ]);
  });

  it('an old cluster, a right that is missing and a failed migration are told', async () => {
    cluster.state.version = 'v1.28.9';
    cluster.state.forbidden.add('create jobs').add('create networkpolicies');
    cluster.onExec((exec) => {
      if (!exec.command.includes('migrate')) return answerAsWell(exec);
      const failed = [{ name: '2999_newer', startedAt: 'x', reason: 'division by zero' }];
      return { exitCode: 0, stdout: JSON.stringify({ pending: [], failed }) };
    });
    expect(await pre('cluster-version')).toMatchObject({ status: 'failed' });
    expect(await pre('rights-to-install')).toMatchObject({
      status: 'failed',
      detail: 'You may not create jobs, networkpolicies.',
    });
    expect(await pre('no-failed-migration')).toMatchObject({
      status: 'failed',
      detail: '1 migration failed: 2999_newer: division by zero.',
    });
  });

  it('a database that is nearly full, or read-only, is told', async () => {
    answering({ connections: 80 });
    expect(await pre('room-for-upgrade')).toMatchObject({ status: 'warning' });
    answering({ readOnly: true });
    expect(await pre('room-for-upgrade')).toMatchObject({ status: 'failed' });
  });

  it('a namespace that is not there is a warning, and a cluster is needed', async () => {
    const env = { ...cluster.env, HOME: '/nowhere' };
    const none = run(['--context', 'test', '-n', 'garden', '--pre'], { env });
    // The double knows one namespace, and reports that any other does not exist.
    expect((await none).records[0]?.id).toMatch(/context-found|cluster-version/u);
    const here = await runInProcess(['check', '--pre'], { env: stack.env });
    expect(here).toMatchObject({ code: 2, stdout: '' });
  });
});
