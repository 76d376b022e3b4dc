import { userInfo } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startFakeKubernetes, type FakeKubernetes } from './support/fake-kubernetes.ts';
import { fakeConfigMap, fakeDeployment, fakePod } from './support/fake-kubernetes-objects.ts';
import type { FakeExec } from './support/fake-kubernetes-streams.ts';
import { startFakeProcess, type FakeProcess } from './support/fake-process.ts';
import { runInProcess } from './support/run-in-process.ts';

const internalPort = 9090;
const pods = [
  'gold-customer-a',
  'gold-customer-b',
  'gold-admin-a',
  'gold-accounting-a',
  'gold-worker-a',
];

let cluster: FakeKubernetes;
let replicas: Map<string, FakeProcess>;

const says = (pod: string, value: string): void =>
  replicas.get(pod)?.answer('/switches', 200, { switches: { DIGITAL_SELL_ENABLED: value } });

/** The settings reach the pods of a node when it looks at them. */
const reachAtWake = (): void => {
  cluster.state.onWake = (pod) => {
    const { DIGITAL_SELL_ENABLED: value = '' } =
      cluster.state.objects.configmaps.get('gold-settings')?.data ?? {};
    says(pod, value);
  };
};

beforeEach(async () => {
  cluster = await startFakeKubernetes();
  cluster.put('pods', fakePod('customer', { suffix: 'b' }));
  replicas = new Map();
  for (const pod of pods) {
    const replica = await startFakeProcess();
    replicas.set(pod, replica);
    says(pod, 'true');
    cluster.mapPort(pod, internalPort, replica.port);
  }
});
afterEach(async () => {
  await cluster.close();
  await Promise.all([...replicas.values()].map((replica) => replica.close()));
});

const goldctl = (...args: string[]) =>
  runInProcess(['--context', 'test', ...args], { env: { ...cluster.env, USER: 'asha' } });

const close = ['gates', 'close', 'sell', '--reason', 'the provider quotes a wrong price'];

const settings = () => cluster.state.objects.configmaps.get('gold-settings');

it('closes a gate, and ends when every replica says that it is closed', async () => {
  reachAtWake();
  const closed = await goldctl(...close, '-o', 'json');
  expect(closed.code).toBe(0);
  const printed = JSON.parse(closed.stdout) as { replicas: { name: string }[] };
  expect(printed).toMatchObject({ gate: 'sell', isOpen: false, value: 'false', seconds: 0 });
  expect(printed.replicas.map(({ name }) => name).toSorted()).toEqual(pods.toSorted());
  for (const pod of pods) expect(closed.stderr).toContain(`${pod} reads it after 0.0 s`);
});

it('names the replica that does not say so in time, with 124, and leaves the setting written', async () => {
  reachAtWake();
  const wake = cluster.state.onWake;
  cluster.state.onWake = (pod) => {
    if (pod !== 'gold-customer-b') wake?.(pod);
  };
  const late = await goldctl(...close, '--timeout', '10s');
  expect(late).toMatchObject({ code: 124, stdout: '' });
  expect(late.stderr).toContain('after 10 s not every replica has applied it');
  expect(late.stderr).toContain('gold-customer-b: still reads "true"');
  expect(late.stderr).not.toContain('gold-worker-a: still');
  expect(settings()?.data).toMatchObject({ DIGITAL_SELL_ENABLED: 'false' });
  await replicas.get('gold-customer-b')?.close();
  const silent = await goldctl(...close, '--timeout', '1s');
  expect(silent.code).toBe(124);
  expect(silent.stderr).toMatch(/gold-customer-b: \S/u);
});

it('wakes a pod again that still reads the old value, and one that starts meanwhile', async () => {
  reachAtWake();
  const wake = cluster.state.onWake;
  const late = await startFakeProcess();
  replicas.set('gold-worker-b', late);
  const woken: string[] = [];
  cluster.state.onWake = (pod) => {
    woken.push(pod);
    // Its volume was being mounted when it was woken first.
    const isFirst = woken.filter((name) => name === pod).length === 1;
    if (pod !== 'gold-customer-b' || !isFirst) wake?.(pod);
    if (cluster.state.objects.pods.has('gold-worker-b')) return;
    says('gold-worker-b', 'true');
    cluster.mapPort('gold-worker-b', internalPort, late.port);
    cluster.put('pods', fakePod('worker', { suffix: 'b' }));
  };
  const closed = await goldctl(...close, '--timeout', '10s');
  expect(closed).toMatchObject({ code: 0 });
  expect(closed.stderr).toMatch(/^gold-worker-b reads it after 0\.5 s$/mu);
  expect(closed.stderr).toMatch(/^gold-customer-b reads it after 5\.\d s$/mu);
  expect(woken.filter((name) => name === 'gold-customer-b')).toHaveLength(2);
  expect(woken.filter((name) => name === 'gold-worker-b')).toHaveLength(1);
});

it('names the user of this machine where nothing says who it is', async () => {
  reachAtWake();
  await runInProcess(['--context', 'test', ...close], { env: cluster.env });
  const kept = settings()?.metadata.annotations?.['goldctl.digital-gold/sell'];
  expect(kept).toContain(`"by":"${userInfo().username} (operator of the kubeconfig)"`);
});

it('keeps who and why in an annotation, an event and an audit row', async () => {
  reachAtWake();
  const run: FakeExec[] = [];
  cluster.onExec((exec) => {
    run.push(exec);
    return { exitCode: 0, stdout: '{"recorded":true}\n' };
  });
  expect((await goldctl(...close)).code).toBe(0);
  const kept: unknown = JSON.parse(
    settings()?.metadata.annotations?.['goldctl.digital-gold/sell'] ?? '{}',
  );
  const by = 'asha (operator of the kubeconfig)';
  const reason = 'the provider quotes a wrong price';
  expect(kept).toEqual({ state: 'closed', by, reason, at: '2026-11-21T10:00:00.000Z' });
  const [event] = cluster.state.objects.events.values();
  expect(event).toMatchObject({
    reason: 'GateClosed',
    message: `sell is closed, by ${by}: ${reason}`,
    involvedObject: { kind: 'ConfigMap', name: 'gold-settings' },
  });
  expect(run.at(-1)).toMatchObject({
    command: expect.arrayContaining(['gate', 'record', '--gate', 'sell', '--state', 'closed']),
    stdin: reason,
  });
});

it('is done where only what it keeps beside the change is refused, and says which', async () => {
  reachAtWake();
  cluster.state.forbidden.add('create events');
  cluster.onExec(() => ({
    exitCode: 1,
    stderr: JSON.stringify({ error: { code: 'SERVICE_UNAVAILABLE', message: 'No database.' } }),
  }));
  const closed = await goldctl(...close);
  expect(closed.code).toBe(0);
  expect(closed.stderr).toContain('the cluster has no event of it: ');
  expect(closed.stderr).toContain('the audit log has no row of it: No database.');
});

it('asks for the reason on a terminal, and does not without one or with --no-wait', async () => {
  reachAtWake();
  const typed = await runInProcess(['--context', 'test', 'gates', 'close', 'sell'], {
    env: cluster.env,
    typed: ['a legal question'],
  });
  expect(typed.code).toBe(0);
  expect(settings()?.metadata.annotations?.['goldctl.digital-gold/sell']).toContain(
    'a legal question',
  );
  const quick = await goldctl('gates', 'open', 'sell', '--yes', '--no-wait', '-o', 'json');
  expect(JSON.parse(quick.stdout)).toMatchObject({
    isOpen: true,
    seconds: null,
    reason: 'not given',
  });
});

it('finds the ConfigMap through the deployments, whatever its labels are', async () => {
  reachAtWake();
  cluster.put('configmaps', fakeConfigMap('other-settings', {}, 'settings'));
  const own = settings();
  if (own !== undefined) cluster.put('configmaps', { ...own, metadata: { name: 'gold-settings' } });
  expect((await goldctl(...close)).code).toBe(0);
  for (const name of ['customer', 'admin', 'accounting', 'worker']) {
    const { metadata } = fakeDeployment(name);
    cluster.put('deployments', { metadata, spec: { template: { spec: { containers: [] } } } });
  }
  const none = await goldctl(...close);
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('no deployment of the service mounts a settings ConfigMap');
});
