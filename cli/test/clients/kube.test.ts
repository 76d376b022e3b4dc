import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli-error.ts';
import {
  componentSelector,
  createKubeClient,
  findReadyPod,
  type KubeClient,
} from '../../src/clients/kube.ts';
import { fakeConfigMap, fakeDeployment, fakePod } from '../support/fake-kubernetes-objects.ts';
import { startFakeKubernetes, type FakeKubernetes } from '../support/fake-kubernetes.ts';

let cluster: FakeKubernetes;
let interruption: AbortController;

beforeEach(async () => {
  cluster = await startFakeKubernetes();
  interruption = new AbortController();
});

afterEach(() => cluster.close());

const connect = (
  context = 'test',
  env: Record<string, string> = cluster.env,
): Promise<KubeClient> =>
  createKubeClient(
    { env, signal: interruption.signal },
    { context, namespace: undefined, inCluster: false },
  );

describe('what is there', () => {
  it('lists the deployments of the components asked for, page by page', async () => {
    const client = await connect();
    const found = await client.listDeployments(componentSelector('customer', 'admin', 'worker'));
    expect(found.map(({ name }) => name)).toEqual(['gold-customer', 'gold-admin', 'gold-worker']);
    expect(cluster.state.requests).toEqual(['list deployments', 'list deployments']);
  });

  it('tells how far a deployment is and why it does not go on', async () => {
    const stuck = fakeDeployment('customer', 3, 1);
    const conditions = [
      { type: 'Progressing', status: 'False', message: 'has timed out progressing' },
    ];
    cluster.put('deployments', { ...stuck, status: { ...Object(stuck.status), conditions } });
    const client = await connect();
    const [found] = await client.listDeployments(componentSelector('customer'));
    expect(found).toMatchObject({
      wantedReplicas: 3,
      availableReplicas: 1,
      isObserved: true,
      trouble: 'has timed out progressing',
    });
  });

  it('names what a template needs: environment, single values, volumes, each once', async () => {
    const client = await connect();
    const [found] = await client.listDeployments(componentSelector('customer'));
    expect(found?.references).toEqual([
      { kind: 'ConfigMap', name: 'gold-config', isOptional: false },
      { kind: 'ConfigMap', name: 'gold-extra', isOptional: true },
      { kind: 'Secret', name: 'gold-otel', isOptional: true },
      { kind: 'Secret', name: 'gold-secrets', isOptional: false },
      { kind: 'ConfigMap', name: 'gold-settings', isOptional: false },
      { kind: 'Secret', name: 'gold-tls', isOptional: false },
    ]);
  });

  it('tells why a pod is not ready', async () => {
    cluster.put('pods', fakePod('worker', { waiting: 'CrashLoopBackOff' }));
    const client = await connect();
    const [pod] = await client.listPods(componentSelector('worker'));
    expect(pod).toMatchObject({
      isReady: false,
      trouble: 'worker: CrashLoopBackOff: back-off 20s restarting',
      ports: { http: 4000, internal: 9090 },
    });
  });

  it('finds the newest ready pod, and says so when none is', async () => {
    cluster.put('pods', fakePod('admin', { suffix: 'b', createdAt: '2026-01-02T00:00:00Z' }));
    cluster.put(
      'pods',
      fakePod('admin', { suffix: 'c', createdAt: '2026-01-03T00:00:00Z', waiting: 'Error' }),
    );
    const client = await connect();
    expect((await findReadyPod(client, 'admin')).name).toBe('gold-admin-b');
    cluster.put('pods', fakePod('worker', { waiting: 'Error' }));
    await expect(findReadyPod(client, 'worker')).rejects.toMatchObject({
      message: 'no worker pod is ready in namespace gold (1 found)',
      exitCode: exitCodes.unreachable,
    });
  });

  it('asks for names alone, of secrets above all', async () => {
    const client = await connect();
    const secret = await client.findSecret('gold-secrets');
    expect(secret).toEqual({ name: 'gold-secrets', labels: {} });
    expect(JSON.stringify(secret)).not.toContain('never-to-be-read');
    expect(await client.findSecret('none')).toBeUndefined();
    expect(await client.findConfigMap('none')).toBeUndefined();
    const settings = await client.listConfigMaps(componentSelector('settings'));
    expect(settings.map(({ name }) => name)).toEqual(['gold-settings']);
  });
});

describe('one key of a config map', () => {
  it('is set and the others stay', async () => {
    const client = await connect();
    expect(await client.patchConfigMapValue('gold-settings', 'DIGITAL_SELL_ENABLED', 'false')).toBe(
      'true',
    );
    expect((await client.readConfigMap('gold-settings')).data).toMatchObject({
      DIGITAL_SELL_ENABLED: 'false',
      DIGITAL_GOLD_PAYMENT_ENABLED: 'true',
    });
  });

  it('is not written when it has the value already', async () => {
    const client = await connect();
    await client.patchConfigMapValue('gold-settings', 'DIGITAL_SELL_ENABLED', 'true');
    expect(cluster.state.requests).toEqual(['get configmaps/gold-settings']);
  });

  it('loses nothing that others change meanwhile, and says what it replaced', async () => {
    const others = ['closed-by-another', undefined];
    cluster.state.beforePatch = () => {
      const value = others.shift();
      if (value === undefined) return;
      const data = { DIGITAL_SELL_ENABLED: value, NEW_KEY: 'kept' };
      const changed = fakeConfigMap('gold-settings', data, 'settings');
      cluster.put('configmaps', {
        ...changed,
        metadata: { ...changed.metadata, resourceVersion: '77' },
      });
    };
    const client = await connect();
    const before = await client.patchConfigMapValue('gold-settings', 'DIGITAL_SELL_ENABLED', 'no');
    expect(before).toBe('closed-by-another');
    expect((await client.readConfigMap('gold-settings')).data).toEqual({
      DIGITAL_SELL_ENABLED: 'no',
      NEW_KEY: 'kept',
    });
  });

  it('is given up when somebody keeps being quicker, with nothing changed', async () => {
    let version = 500;
    cluster.state.beforePatch = () => {
      version += 1;
      const changed = fakeConfigMap('gold-settings', { A: '1' });
      cluster.put('configmaps', {
        ...changed,
        metadata: { ...changed.metadata, resourceVersion: String(version) },
      });
    };
    const client = await connect();
    await expect(client.patchConfigMapValue('gold-settings', 'A', '2')).rejects.toMatchObject({
      exitCode: exitCodes.failed,
      message: 'config map gold-settings changed 8 times while it was being changed',
    });
    expect((await client.readConfigMap('gold-settings')).data).toEqual({ A: '1' });
  });
});

describe('whose the writes are', () => {
  it('is told to the cluster with each of them', async () => {
    const client = await connect();
    await client.patchConfigMapValue('gold-settings', 'DIGITAL_SELL_ENABLED', 'false');
    await client.annotatePod('gold-admin-a', { 'gold/woken': 'now' });
    await client.createEvent({
      configMap: 'gold-settings',
      reason: 'GateClosed',
      message: 'sell is closed',
      at: new Date(),
    });
    expect(cluster.state.writes).toEqual([
      'goldctl: patch configmaps by goldctl',
      'goldctl: patch pods by goldctl',
      'goldctl: create events by goldctl',
    ]);
  });

  it('is told with a job as well', async () => {
    const labels = { 'app.kubernetes.io/component': 'migrate' };
    const spec = { template: { spec: { containers: [{ name: 'migrate', image: 'x' }] } } };
    cluster.put('jobs', { metadata: { name: 'gold-migrate', labels }, spec });
    const client = await connect();
    await client.startJobLike('app.kubernetes.io/component=migrate', ['status']);
    expect(cluster.state.writes).toEqual(['goldctl: create jobs by goldctl']);
  });
});

describe('who may not, and who is not there', () => {
  it('tells a missing right with the words of the cluster', async () => {
    cluster.state.forbidden.add('list pods');
    const client = await connect();
    await expect(client.listPods('a=b')).rejects.toMatchObject({
      exitCode: exitCodes.denied,
      message:
        'cannot list pods in namespace gold: User "test" cannot list pods in the namespace "gold"',
    });
  });

  it('tells credentials that the cluster does not accept', async () => {
    const client = await connect('wrong-token');
    await expect(client.listPods('a=b')).rejects.toMatchObject({
      exitCode: exitCodes.denied,
      status: 401,
    });
    const command = client.execInPod({ pod: 'gold-admin-a', command: ['x'] });
    await expect(command).rejects.toMatchObject({ exitCode: exitCodes.denied, status: 401 });
  });

  it('tells a cluster that is away', async () => {
    const client = await connect();
    const { url } = cluster;
    await cluster.goAway();
    const away = { exitCode: exitCodes.unreachable, message: expect.stringContaining(url) };
    await expect(client.listPods('a=b')).rejects.toMatchObject(away);
    await expect(client.execInPod({ pod: 'p', command: ['x'] })).rejects.toMatchObject(away);
    await expect(client.portForward('p', 1)).rejects.toMatchObject(away);
  });

  it('stops asking when the operator interrupts', async () => {
    const client = await connect();
    interruption.abort(new Error('interrupted'));
    await expect(client.listPods('a=b')).rejects.toThrow(/interrupted/u);
  });
});
