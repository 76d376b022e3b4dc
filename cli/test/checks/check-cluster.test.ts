import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exitCodes } from '../../src/cli-error.ts';
import { fakeDeployment, fakePod } from '../support/fake-kubernetes-objects.ts';
import { startFakeKubernetes, type FakeKubernetes } from '../support/fake-kubernetes.ts';
import { readinessReport, startFakeProcess, type FakeProcess } from '../support/fake-process.ts';
import { answerOperations } from '../support/fake-stack.ts';
import { golden } from '../support/golden.ts';
import { runInProcess } from '../support/run-in-process.ts';

const answer = z.object({
  records: z.array(
    z.object({ id: z.string(), title: z.string(), status: z.string(), detail: z.string() }),
  ),
});

let cluster: FakeKubernetes;
let admin: FakeProcess;

beforeEach(async () => {
  [cluster, admin] = await Promise.all([startFakeKubernetes(), startFakeProcess()]);
  admin.answer('/v1/readiness', 200, readinessReport());
  answerOperations({ admin, worker: admin });
  for (const process of ['customer', 'admin', 'accounting', 'worker']) {
    cluster.mapPort(`gold-${process}-a`, 9090, admin.port);
  }
  cluster.mapPort('gold-admin-a', 4000, admin.port);
});

afterEach(async () => {
  await Promise.all([cluster.close(), admin.close()]);
});

const signedIn = { GOLDCTL_TOKEN: 'token-of-an-operator', XDG_CONFIG_HOME: '/nowhere' };

const check = (args: readonly string[] = [], env: Readonly<Record<string, string>> = signedIn) =>
  runInProcess(['--context', 'test', 'check', ...args], { env: { ...cluster.env, ...env } });

const recordsOf = async (
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = signedIn,
) => {
  const { stdout, code } = await check(['-o', 'json', ...args], env);
  return { code, records: answer.parse(JSON.parse(stdout)).records };
};

it('shows a release in which all is well', async () => {
  const { stdout, code } = await check();
  expect(stdout).toBe(golden('check-release-well.txt', stdout));
  expect(code).toBe(0);
});

it('shows what is amiss in a release, by name', async () => {
  cluster.put('deployments', fakeDeployment('customer', 3, 1));
  cluster.remove('deployments', 'gold-worker');
  cluster.put('pods', fakePod('customer', { waiting: 'CreateContainerConfigError' }));
  cluster.remove('secrets', 'gold-secrets');
  cluster.remove('configmaps', 'gold-config');
  const { stdout, code } = await check();
  expect(stdout).toBe(golden('check-release-amiss.txt', stdout));
  expect(code).toBe(exitCodes.findings);
});

it('asks no secret for its content, and looks for none that nothing names', async () => {
  await check(['--category', 'secrets']);
  const asked = cluster.state.requests.filter((request) => request.includes('secrets'));
  expect(asked.toSorted()).toEqual([
    'get secrets/gold-otel',
    'get secrets/gold-secrets',
    'get secrets/gold-tls',
  ]);
});

it('reports a secret that it may not look for as unknown, not as missing', async () => {
  cluster.state.forbidden.add('get secrets');
  const { records, code } = await recordsOf(['--category', 'secrets']);
  expect(code).toBe(exitCodes.findings);
  expect(records.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'unknown']);
  expect(records[0]?.detail).toContain('cannot get secrets in the namespace "gold"');
});

it('goes on with the rest where one kind may not be listed', async () => {
  cluster.state.forbidden.add('list deployments');
  const { records } = await recordsOf(['--category', 'deployments', '--category', 'pods']);
  expect(records.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'same-version unknown',
    'deployment-available unknown',
    'pods-ready ok',
    'pods-ready ok',
    'pods-ready ok',
    'pods-ready ok',
    'pods-ready not-run',
  ]);
});

const migration = (suffix: string, createdAt: string, phase: string) => {
  const pod = fakePod('migrate', { suffix, createdAt, waiting: 'Completed' });
  return { ...pod, status: { phase } };
};

describe('the newest migration pod', () => {
  it.each([
    ['has succeeded after one that failed', 'Failed', 'Succeeded', 'ok'],
    ['has failed after one that succeeded', 'Succeeded', 'Failed', 'failed'],
    ['still runs', 'Succeeded', 'Running', 'failed'],
  ])('%s', async (_words, first, second, status) => {
    cluster.put('pods', migration('1', '2026-01-01T00:00:00Z', first));
    cluster.put('pods', migration('2', '2026-01-02T00:00:00Z', second));
    const { records } = await recordsOf(['--category', 'pods']);
    expect(records.at(-1)).toMatchObject({ id: 'pods-ready', status });
  });
});

describe('the processes', () => {
  it('are heard themselves, so that a silent cache is seen', async () => {
    admin.ready({ cache: 'failed' });
    const { records } = await recordsOf(['--category', 'stores']);
    expect(records.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'database-answers ok',
      'cache-answers warning',
      'database-writable ok',
      'database-time-zone ok',
      'database-connections ok',
    ]);
  });

  it('are believed by the cluster’s own probes where no port may be forwarded', async () => {
    cluster.state.forbidden.add('create pods/portforward');
    const { records } = await recordsOf(['--category', 'stores', '--category', 'processes'], {});
    expect(records.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'process-ready ok',
      'process-ready ok',
      'process-ready ok',
      'process-ready ok',
      'database-answers ok',
      'cache-answers not-run',
      'database-writable ok',
      'database-time-zone ok',
      'database-connections ok',
    ]);
  });
});

it('asks the admin API where its address is given, and says whether it answers there', async () => {
  const { records, code } = await recordsOf(['--admin-url', admin.url]);
  expect(code).toBe(0);
  expect(records.find(({ id }) => id === 'api-answers')).toMatchObject({ status: 'ok' });
  await admin.close();
  const later = await recordsOf(['--admin-url', admin.url, '--category', 'processes']);
  expect(later.records.find(({ id }) => id === 'api-answers')).toMatchObject({ status: 'failed' });
  admin = await startFakeProcess();
});

it('is not failed by the want of an operator', async () => {
  const { records, code } = await recordsOf([], { XDG_CONFIG_HOME: '/nowhere' });
  expect(code).toBe(0);
  const left = records.filter(({ status }) => status === 'not-run').map(({ id }) => id);
  expect(left).toContain('operator-signed-in');
  expect(left).toContain('merchant-tax-registration');
});

it('waits until the release is ready', async () => {
  cluster.put('deployments', fakeDeployment('customer', 2, 1));
  const waiting = check(['--category', 'deployments', '--wait', '5m', '--short']);
  const rounds = () => cluster.state.requests.length;
  await expect.poll(rounds, { timeout: 60_000 }).toBeGreaterThan(8);
  cluster.put('deployments', fakeDeployment('customer', 2));
  const { code, stdout, stderr } = await waiting;
  expect(stderr).toContain('waiting: deployment gold-customer is available\n');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '5 checks: 5 ok.\n' });
});

it('exits with 4 for a wrong token, 2 for an unknown context, 5 without a cluster', async () => {
  const as = (context: string) =>
    runInProcess(['--context', context, 'check'], { env: { ...cluster.env, ...signedIn } });
  expect(await as('wrong-token')).toMatchObject({ code: exitCodes.denied });
  expect(await as('nowhere')).toMatchObject({ code: exitCodes.usage, stdout: '' });
  await cluster.goAway();
  const gone = await as('test');
  expect(gone.code).toBe(exitCodes.unreachable);
  expect(gone.stdout).toContain('× the stack or release can be reached\n');
});

it('says outside of a pod that it is in none', async () => {
  const { code, stderr } = await runInProcess(['check', '--in-cluster'], { env: {} });
  expect(code).toBe(exitCodes.usage);
  expect(stderr).toContain('not running in a pod with a service account');
});
