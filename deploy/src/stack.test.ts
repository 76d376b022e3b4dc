import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordResources, travellingSecret, valueOf, type Made } from '../test/support/mocks.ts';
import {
  parseInput,
  prodInput,
  readStackFile,
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
  return { namespace: await valueOf(outputs.namespace), release: await valueOf(outputs.release) };
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

  it('tells its namespace and its release', () => {
    expect(outputs).toEqual({ namespace: 'digital-gold', release: 'digital-gold' });
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
