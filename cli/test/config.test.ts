import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeConfigMap, fakeDeployment } from './support/fake-kubernetes-objects.ts';
import { startFakeKubernetes, type FakeKubernetes } from './support/fake-kubernetes.ts';
import { stackSecrets, startFakeStack, type FakeStack } from './support/fake-stack.ts';
import { runInProcess } from './support/run-in-process.ts';

const answer = z.object({
  items: z.array(z.object({ name: z.string(), value: z.string().nullable(), source: z.string() })),
});

let stack: FakeStack;
let cluster: FakeKubernetes;
beforeEach(async () => {
  [stack, cluster] = await Promise.all([startFakeStack(), startFakeKubernetes()]);
});
afterEach(() => Promise.all([stack.close(), cluster.close()]));

const explain = (...args: readonly string[]) =>
  runInProcess([...args.slice(1), 'config', 'explain'].concat(args[0] ?? []), {
    env: args.includes('--context') ? cluster.env : stack.env,
  });

const itemsOf = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const { stdout } = await runInProcess([...args, 'config', 'explain', '-o', 'json'], { env });
  return new Map(answer.parse(JSON.parse(stdout)).items.map((item) => [item.name, item]));
};

describe('config explain', () => {
  it('shows a local value, its file, its default and what it is', async () => {
    const shown = await explain('LOG_LEVEL');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^what it is +least severe level logged$/mu);
    expect(shown.stdout).toMatch(/^value +info$/mu);
    expect(shown.stdout).toMatch(/^source +default$/mu);
    const items = await itemsOf([], stack.env);
    expect(items.get('APP_MODE')).toMatchObject({
      value: 'development',
      source: `${stack.home}/env`,
    });
  });

  it('never shows a secret', async () => {
    const all = await runInProcess(['config', 'explain', '--process', 'customer'], {
      env: stack.env,
    });
    expect(all.stdout).toMatch(/^JWT_SECRET +\(set, secret\) /mu);
    for (const secret of Object.values(stackSecrets)) expect(all.stdout).not.toContain(secret);
  });

  it('names the ConfigMap or the Secret of a release, and reads no Secret', async () => {
    const customer = fakeDeployment('customer');
    const spec = structuredClone(customer.spec) as {
      template: { spec: { containers: { env: object[] }[] } };
    };
    spec.template.spec.containers[0]?.env.push(
      { name: 'HOST', value: '127.0.0.1' },
      { name: 'JWT_SECRET', valueFrom: { secretKeyRef: { name: 'gold-jwt', key: 'jwt' } } },
      { name: 'REDIS_URL_FILE', value: '/etc/gold/REDIS_URL' },
      { name: 'CLOCK_URL', value: 'http://user:pass-phrase@clock' },
    );
    cluster.put('deployments', { ...customer, spec });
    cluster.put('configmaps', fakeConfigMap('gold-config', { LOG_LEVEL: 'warn', HOST: '::' }));
    const items = await itemsOf(['--context', 'test'], { ...cluster.env });
    expect(items.size).toBeGreaterThan(20);
    const own = await runInProcess(
      ['--context', 'test', 'config', 'explain', '--process', 'customer', '-o', 'json'],
      { env: cluster.env },
    );
    const found = new Map(answer.parse(JSON.parse(own.stdout)).items.map((i) => [i.name, i]));
    expect(found.get('LOG_LEVEL')).toMatchObject({
      value: 'warn',
      source: 'ConfigMap gold-config',
    });
    expect(found.get('HOST')).toMatchObject({
      value: '127.0.0.1',
      source: 'deployment gold-customer',
    });
    expect(found.get('JWT_SECRET')).toMatchObject({
      value: null,
      source: 'Secret gold-jwt, key jwt',
    });
    expect(found.get('REDIS_URL')).toMatchObject({
      value: null,
      source: 'file /etc/gold/REDIS_URL',
    });
    expect(found.get('CREDENTIAL_PEPPER')).toMatchObject({
      value: null,
      source: 'Secret gold-secrets, if it has the key',
    });
    expect(own.stdout).not.toContain('pass-phrase');
    expect(cluster.state.requests.filter((line) => line.includes('secrets'))).toEqual([]);
  });

  it('knows no variable that the process does not read, and no process that is not there', async () => {
    expect(await explain('GARDEN')).toMatchObject({ code: 2, stdout: '' });
    cluster.remove('deployments', 'gold-admin');
    const none = await runInProcess(['--context', 'test', 'config', 'explain'], {
      env: cluster.env,
    });
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('there is no deployment of admin');
  });
});
