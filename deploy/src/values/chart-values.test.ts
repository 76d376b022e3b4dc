import { describe, expect, it } from 'vitest';
import {
  parseInput,
  prodInput,
  readStackFile,
  secretsOfItsOwn,
  withPath,
} from '../../test/support/stack-texts.ts';
import { processes } from '../processes.ts';
import { chartValues, testbedValues, valuesOfKeys, type OwnedNames } from './chart-values.ts';
import { secretData } from './secret-data.ts';

const secrets = { customer: 's-1', admin: 's-2', accounting: 's-3', worker: 's-4' };
const names: OwnedNames<unknown> = {
  secrets,
  migrationSecret: 'm-1',
  settings: 'set',
  claim: 'docs',
};
const valuesOf = (path: string, value: unknown) =>
  valuesOfKeys(parseInput(withPath(prodInput(), path, value)), names);

describe('the values of the chart', () => {
  const prod = valuesOfKeys(parseInput(prodInput()), names);

  it('name what the program made, and leave hooks and tests out', () => {
    expect(prod).not.toHaveProperty('secrets');
    expect(prod).toMatchObject({
      customer: { existingSecret: 's-1' },
      worker: { existingSecret: 's-4' },
    });
    expect(prod.settings).toEqual({ existingConfigMap: 'set' });
    expect(prod.migrations).toEqual({ mode: 'job', existingSecret: 'm-1' });
    expect(prod.objectStore).toEqual({ type: 'filesystem', existingClaim: 'docs' });
    expect(prod.tests).toEqual({ enabled: false });
  });

  it('claim no volume where a bucket holds the documents', () => {
    const inBucket = [
      ['objectStore.type', 's3'],
      ['environment.S3_BASE_URL', 'https://s3.example'],
      ['environment.S3_BUCKET', 'documents'],
      ['environment.S3_ACCESS_KEY_ID', 'digital-gold'],
      ['secrets.S3_SECRET_ACCESS_KEY', 'a-secret-of-the-bucket'],
    ].reduce((input, [path = '', value]) => withPath(input, path, value), prodInput());
    const values = valuesOfKeys(parseInput(inBucket), { ...names, claim: undefined });
    expect(values.objectStore).toEqual({ type: 's3' });
  });

  it('hold no secret', () => {
    const text = JSON.stringify(prod);
    for (const value of Object.values(secretsOfItsOwn)) expect(text).not.toContain(value);
  });

  it('pin the image by its digest, or by its tag alone where there is none', () => {
    expect(prod.image).toEqual({
      repository: 'registry.example/digital-gold',
      tag: '1.2.3',
      digest: `sha256:${'ab'.repeat(32)}`,
      pullPolicy: 'IfNotPresent',
    });
    expect(valuesOfKeys(parseInput(readStackFile('dev')), names).image.digest).toBe('');
    expect(valuesOf('image.pullSecrets', ['registry']).imagePullSecrets).toEqual([
      { name: 'registry' },
    ]);
  });

  it('scale only the processes that may grow', () => {
    expect(prod).toMatchObject({
      customer: { replicas: 3, autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 12 } },
      worker: { replicas: 2, autoscaling: { enabled: false } },
    });
  });

  it('put each API behind the class of its reach', () => {
    expect(prod.ingress).toMatchObject({
      controller: 'traefik',
      publicClassName: 'public',
      internalClassName: 'internal',
      customer: {
        enabled: true,
        className: 'public',
        host: 'api.digital-gold.example',
        tls: [{ hosts: ['api.digital-gold.example'], secretName: 'customer-tls' }],
      },
      admin: { className: 'internal' },
      accounting: { className: 'internal' },
    });
    expect(valuesOf('ingress.classes.internal', 'vpn').ingress).toMatchObject({
      customer: { className: 'public' },
      accounting: { className: 'vpn' },
    });
  });

  it('carry the environment and the mode', () => {
    expect(prod.config).toMatchObject({
      APP_MODE: 'production',
      SAFEGOLD_BASE_URL: 'https://partners.safegold.com',
    });
  });

  it('narrow the network where the stack says so, else leave the chart its own', () => {
    expect(prod.networkPolicy).toEqual({
      enabled: true,
      ingressControllers: {},
      egress: { database: {}, cache: {} },
    });
    expect(valuesOf('networkPolicy.database', ['10.1.0.0/24']).networkPolicy.egress).toEqual({
      database: { to: [{ ipBlock: { cidr: '10.1.0.0/24' } }] },
      cache: {},
    });
    const matchLabels = { 'kubernetes.io/metadata.name': 'edge' };
    expect(
      valuesOf('networkPolicy.publicNamespace', 'edge').networkPolicy.ingressControllers,
    ).toEqual({ public: [{ namespaceSelector: { matchLabels } }] });
  });
});

describe('values of a stack', () => {
  it('are laid over those of its keys, maps key by key and lists whole', () => {
    const peers = [{ ipBlock: { cidr: '10.2.0.0/16', except: ['10.2.9.0/24'] } }];
    const input = withPath(
      withPath(prodInput(), 'networkPolicy.database', ['10.1.0.0/24']),
      'values',
      {
        networkPolicy: { egress: { database: { to: peers } } },
        customer: { resources: { limits: { memory: '1Gi' } } },
        commonAnnotations: { team: 'gold' },
      },
    );
    expect(chartValues(parseInput(input), names)).toMatchObject({
      networkPolicy: { enabled: true, egress: { database: { to: peers }, cache: {} } },
      customer: { replicas: 3, existingSecret: 's-1', resources: { limits: { memory: '1Gi' } } },
      commonAnnotations: { team: 'gold' },
    });
  });

  it('leave alone what is known only later', () => {
    const later = Promise.resolve('settings');
    const values = chartValues(parseInput(prodInput()), { ...names, settings: later });
    expect(values).toMatchObject({ settings: { existingConfigMap: later } });
  });
});

it('gives the testbed the same image', () => {
  const config = parseInput(withPath(readStackFile('dev'), 'image.tag', 'try-1'));
  expect(testbedValues(config)).toMatchObject({ purpose: 'test', image: { tag: 'try-1' } });
});

it('gives each process the secrets that it reads, and the owning role to the migrations', () => {
  const data = secretData({ ...secretsOfItsOwn, GITHUB_TOKEN: 'own-github-token' });
  expect(Object.keys(data.migrations)).toEqual(['MIGRATE_DATABASE_URL']);
  for (const process of processes) {
    expect(data[process]).not.toHaveProperty('MIGRATE_DATABASE_URL');
    expect(data[process]).toHaveProperty('DATABASE_URL');
  }
  expect(Object.keys(data.accounting)).toHaveLength(5);
  expect(data.worker).not.toHaveProperty('JWT_SECRET');
  expect(data.admin).not.toHaveProperty('PAYOUT_WEBHOOK_SECRETS');
  expect(data.admin).toHaveProperty('GITHUB_TOKEN');
  expect(data.worker).toHaveProperty('GITHUB_TOKEN');
  expect(data.customer).not.toHaveProperty('GITHUB_TOKEN');
});
