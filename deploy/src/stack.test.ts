import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isSecret } from '@pulumi/pulumi';
import { recordResources, travellingSecret, valueOf, type Made } from '../test/support/mocks.ts';
import {
  parseInput,
  prodInput,
  readStackFile,
  release,
  secretsOfItsOwn,
  withPath,
  type StackInput,
} from '../test/support/stack-texts.ts';
import type * as program from './stack.ts';

let made: Made[];
// The program is imported after the mocks are set: what it imports registers with the engine.
let createStack: typeof program.createStack;

const build = async (input: StackInput) => {
  const outputs = createStack(parseInput(input));
  const { kubeconfig } = outputs;
  return {
    ...outputs,
    namespace: await valueOf(outputs.namespace),
    release: await valueOf(outputs.release),
    settings: await valueOf(outputs.settings),
    kubeconfig: kubeconfig && {
      value: await valueOf(kubeconfig),
      isSecret: await isSecret(kubeconfig),
    },
  };
};

const inputsOf = (name: string): Made['inputs'] => {
  const found = made.filter((one) => one.name === name);
  expect(found).toHaveLength(1);
  return found[0]?.inputs ?? {};
};

beforeAll(async () => {
  made = await recordResources();
  ({ createStack } = await import('./stack.ts'));
});

beforeEach(async () => {
  made = await recordResources();
});

describe('a stack of prod', () => {
  let outputs: Awaited<ReturnType<typeof build>>;
  beforeEach(async () => {
    outputs = await build(prodInput());
  });

  it('makes the foundation, the chart, and nothing else', () => {
    expect(made.map(({ type, name }) => `${type} ${name}`).toSorted()).toEqual([
      'digital-gold:deploy:Application application',
      'digital-gold:deploy:Foundation foundation',
      'kubernetes:core/v1:ConfigMap settings',
      'kubernetes:core/v1:Namespace namespace',
      'kubernetes:core/v1:PersistentVolumeClaim documents',
      'kubernetes:core/v1:Secret digital-gold-accounting',
      'kubernetes:core/v1:Secret digital-gold-admin',
      'kubernetes:core/v1:Secret digital-gold-customer',
      'kubernetes:core/v1:Secret digital-gold-migrations',
      'kubernetes:core/v1:Secret digital-gold-worker',
      'kubernetes:helm.sh/v4:Chart digital-gold',
      'pulumi:providers:kubernetes cluster',
    ]);
  });

  it('tells other stacks what is where', () => {
    expect(outputs).toEqual({
      namespace: 'digital-gold',
      release: 'digital-gold',
      version: undefined,
      image: `registry.example/digital-gold:1.2.3@sha256:${'ab'.repeat(32)}`,
      hosts: {
        customer: 'api.digital-gold.example',
        admin: 'admin.digital-gold.example',
        accounting: 'accounting.digital-gold.example',
      },
      settings: 'digital-gold-settings',
      kubeconfig: undefined,
    });
  });

  it('goes to the cluster that it names, and changes ConfigMaps in place', () => {
    expect(inputsOf('cluster')).toMatchObject({
      context: 'digital-gold-prod',
      enableConfigMapMutable: 'true',
    });
  });

  it('admits only restricted pods into its namespace', () => {
    expect(inputsOf('namespace')).toMatchObject({
      metadata: {
        name: 'digital-gold',
        labels: {
          'pod-security.kubernetes.io/enforce': 'restricted',
          'pod-security.kubernetes.io/audit': 'restricted',
          'pod-security.kubernetes.io/warn': 'restricted',
        },
      },
    });
  });

  it('hands the secrets over as secrets, each to those who need it', () => {
    for (const who of ['customer', 'admin', 'accounting', 'worker', 'migrations']) {
      const name = `digital-gold-${who}`;
      expect(travellingSecret.safeParse(inputsOf(name)['stringData']).success).toBe(true);
    }
    const { value } = travellingSecret.parse(inputsOf('digital-gold-migrations')['stringData']);
    expect(value).toEqual({ MIGRATE_DATABASE_URL: secretsOfItsOwn['MIGRATE_DATABASE_URL'] });
    const others = made.filter(({ type }) => type !== 'kubernetes:core/v1:Secret');
    const text = JSON.stringify(others);
    for (const secret of Object.values(secretsOfItsOwn)) expect(text).not.toContain(secret);
  });

  it('begins with every switch off, in the ConfigMap that the operators know', () => {
    expect(inputsOf('settings')).toMatchObject({
      metadata: {
        name: 'digital-gold-settings',
        namespace: 'digital-gold',
        labels: { 'app.kubernetes.io/component': 'settings' },
      },
      data: {
        DIGITAL_GOLD_PAYMENT_ENABLED: 'false',
        DIGITAL_SELL_ENABLED: 'false',
        ACCOUNTING_PORTAL_MODE: 'readonly',
        ACCOUNTING_AUTO_POSTING_ENABLED: 'false',
      },
    });
  });

  it('gives the chart the names that the cluster gave', () => {
    expect(inputsOf('digital-gold')).toMatchObject({
      chart: '../../charts/digital-gold',
      name: 'digital-gold',
      namespace: 'digital-gold',
      values: {
        customer: { existingSecret: 'digital-gold-customer-0a1b2c3' },
        accounting: { existingSecret: 'digital-gold-accounting-0a1b2c3' },
        migrations: { existingSecret: 'digital-gold-migrations-0a1b2c3' },
        settings: { existingConfigMap: 'digital-gold-settings' },
        objectStore: { type: 'filesystem', existingClaim: 'digital-gold-documents' },
      },
    });
  });

  it('asks for storage that every pod of the customer API can mount', () => {
    expect(inputsOf('documents')).toMatchObject({
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '100Gi' } } },
    });
  });
});

describe('a stack of dev', () => {
  it('brings the testbed along and takes its secrets', async () => {
    await build(readStackFile('dev'));
    expect(made.filter(({ type }) => type === 'kubernetes:core/v1:Secret')).toEqual([]);
    expect(inputsOf('testbed')).toMatchObject({
      chart: '../../charts/digital-gold-testbed',
      values: { purpose: 'test' },
    });
    expect(inputsOf('digital-gold')).toMatchObject({
      values: {
        customer: { existingSecret: 'testbed-app' },
        worker: { existingSecret: 'testbed-app' },
        migrations: { existingSecret: 'testbed-migrate' },
      },
    });
  });

  it('has secrets of its own where it is given some', async () => {
    await build({ ...readStackFile('dev'), secrets: secretsOfItsOwn });
    expect(inputsOf('digital-gold')).toMatchObject({
      values: { admin: { existingSecret: 'digital-gold-admin-0a1b2c3' } },
    });
  });

  it('opens the gates that its file opens', async () => {
    await build(withPath(readStackFile('dev'), 'settings.ACCOUNTING_PORTAL_MODE', 'readwrite'));
    expect(inputsOf('settings')['data']).toMatchObject({
      DIGITAL_SELL_ENABLED: 'true',
      ACCOUNTING_PORTAL_MODE: 'readwrite',
    });
  });
});

describe('a stack of a release', () => {
  it('installs the chart of the registry with the image that belongs to it', async () => {
    const outputs = await build({
      ...withPath(prodInput(), 'image', undefined),
      release: release.version,
    });
    expect(outputs).toMatchObject({
      version: '1.2.3',
      image: `registry.example/digital-gold:1.2.3@${release.image.digest}`,
    });
    expect(inputsOf('digital-gold')).toMatchObject({
      chart: 'oci://registry.example/charts/digital-gold',
      version: '1.2.3',
      values: { image: release.image },
    });
  });
});

describe('a stack whose secrets others hold', () => {
  const fromOthers = Object.fromEntries(
    Object.keys(secretsOfItsOwn).map((name) => [
      name,
      { name: 'from-vault', key: name.toLowerCase() },
    ]),
  );

  it('makes no Secret, and names theirs', async () => {
    await build({ ...withPath(prodInput(), 'secrets', undefined), secretsFrom: fromOthers });
    expect(made.filter(({ type }) => type === 'kubernetes:core/v1:Secret')).toEqual([]);
    expect(JSON.stringify(made)).not.toContain('1b47061264138c4ac30d75fd1eb44270');
    const { values } = inputsOf('digital-gold');
    expect(values).toMatchObject({ secretsFrom: fromOthers, migrations: { mode: 'job' } });
    expect(JSON.stringify(values)).not.toContain('existingSecret');
  });

  it('takes those of another stack as secrets', async () => {
    const reference = { stack: 'organization/stores/prod', output: 'jwtSecret' };
    await build({
      ...withPath(prodInput(), 'secrets.JWT_SECRET', undefined),
      references: { secrets: { JWT_SECRET: reference } },
    });
    const { value } = travellingSecret.parse(inputsOf('digital-gold-customer')['stringData']);
    expect(value).toMatchObject({ JWT_SECRET: 'jwtSecret of organization/stores/prod' });
  });
});

describe('a stack on the cluster of another one', () => {
  it('reaches it by that stack, and hands the kubeconfig on as a secret', async () => {
    const reference = { stack: 'organization/cluster/prod', output: 'kubeconfig' };
    const outputs = await build({
      ...withPath(prodInput(), 'kubeContext', undefined),
      references: { kubeconfig: reference },
    });
    const kubeconfig = 'kubeconfig of organization/cluster/prod';
    expect(outputs.kubeconfig).toEqual({ value: kubeconfig, isSecret: true });
    expect(travellingSecret.parse(inputsOf('cluster')['kubeconfig']).value).toBe(kubeconfig);
  });
});
