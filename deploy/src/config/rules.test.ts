import { describe, expect, it } from 'vitest';
import {
  parseInput,
  prodInput,
  readStackFile,
  refusalOf,
  refusedKeys,
  release,
  secretsOfItsOwn,
  stagingInput,
  withPath,
} from '../../test/support/stack-texts.ts';
import { keyPrefix } from './parse-stack-config.ts';

const published = 'dev-only-token-of-the-testbed';
const publishedKey = `k1:${Buffer.from('dev-only-key....................').toString('base64')}`;

describe('prod', () => {
  it('takes a release with everything in place', () => {
    expect(refusalOf(prodInput())).toBe('');
  });

  it.each([
    ['appMode', 'test', 'must be production'],
    ['appMode', 'development', 'must be production'],
    ['image.tag', 'latest', 'name the tag of one release'],
    ['image.digest', undefined, 'by its digest'],
    ['replicas.customer', 1, '2 or more'],
    ['replicas.admin', 1, '2 or more'],
    ['replicas.accounting', 1, '2 or more'],
    ['replicas.worker', 1, '2 or more'],
    ['ingress.accounting.reach', 'public', 'must be internal'],
    ['ingress.customer.tlsSecret', undefined, 'certificate'],
    ['networkPolicy.enabled', false, 'must be true'],
    ['protect', false, 'must be true'],
    ['kubeContext', undefined, 'must name the cluster'],
    ['objectStore.accessMode', 'ReadWriteOnce', 'must be ReadWriteMany'],
    ['environment.PAYMENT_GATEWAYS', 'razorpay, sandbox', 'only real gateways'],
    ['environment.CLOCK_CONTROL', 'true', 'must be false'],
    ['environment.SAFEGOLD_BASE_URL', 'http://safegold.example', 'https://'],
    ['environment.SANDBOX_GATEWAY_KEY_ID', 'key', "the sandbox's"],
    ['environment.RAZORPAYX_KEY_ID', 'dev-only-razorpayx-key', 'is published'],
    ['secrets.JWT_SECRET', published, 'published development secret'],
    ['secrets.PII_KEYRING', publishedKey, 'published development secret'],
    ['secrets.MIGRATE_DATABASE_URL', secretsOfItsOwn['DATABASE_URL'], 'must be another one'],
    ['secrets.DATABASE_URL', 'postgresql://dgs_app:word@db.example/gold', 'TLS and a password'],
    ['secrets.DATABASE_URL', 'postgresql://dgs_app@db/gold?sslmode=require', 'TLS and a password'],
    ['secrets.MIGRATE_DATABASE_URL', 'postgresql://owner:word@db/gold', 'TLS and a password'],
    ['secrets.REDIS_URL', 'redis://:word@cache.example:6379', 'TLS and a password'],
    ['secrets.REDIS_URL', 'rediss://cache.example:6380', 'TLS and a password'],
  ])('refuses %s = %j', (path, value, allowed) => {
    const input = withPath(prodInput(), path, value);
    expect(refusedKeys(input)).toEqual([path]);
    expect(refusalOf(input)).toContain(allowed);
  });

  it('takes plain connections to its stores where the network is said to be trusted', () => {
    const plain = withPath(prodInput(), 'secrets.REDIS_URL', 'redis://cache.example:6379');
    expect(refusalOf(withPath(plain, 'environment.ALLOW_PLAIN_STORES', 'true'))).toBe('');
  });

  it('refuses a testbed', () => {
    const inTestMode = withPath(prodInput(), 'appMode', 'test');
    expect(refusalOf(withPath(inTestMode, 'testbed', true))).toContain(
      'digital-gold:testbed must be false in prod; only dev may have it',
    );
  });

  it('never shows the secret that it refuses', () => {
    const message = refusalOf(withPath(prodInput(), 'secrets.JWT_SECRET', published));
    expect(message).not.toContain(published);
  });
});

describe('every tier', () => {
  it.each([
    ['secrets.JWT_SECRET', undefined, 'is missing; set it with --secret'],
    ['secrets.MIGRATE_DATABASE_URL', undefined, 'is missing; set it with --secret'],
    ['secrets.JWT_SECRETS', 'x', 'allowed are DATABASE_URL, REDIS_URL'],
    ['secrets', undefined, 'only a stack with a testbed'],
    ['environment.JWT_SECRET', 'x', 'set `secrets.JWT_SECRET` with --secret'],
    ['environment.DIGITAL_SELL_ENABLED', 'true', '`settings.DIGITAL_SELL_ENABLED`'],
    ['environment.APP_MODE', 'production', '`appMode`'],
    ['environment.SETTINGS_DIR', '/tmp', 'set by the chart'],
    ['ingress.classes.internal', 'public', 'must be another one'],
    ['ingress.accounting.host', 'admin.staging.digital-gold.example', 'its own host'],
    ['maxReplicas.worker', 2, 'must be more than replicas.worker, which is 2'],
  ])('refuses %s = %j', (path, value, allowed) => {
    const input = withPath(stagingInput(), path, value);
    expect(refusedKeys(input)).toEqual([path]);
    expect(refusalOf(input)).toContain(allowed);
  });

  it.each([
    ['secrets.JWT_SECRET', published, 'published development secret'],
    ['environment.PAYMENT_GATEWAYS', 'sandbox', 'only real gateways'],
  ])('refuses %s = %j in production mode, and takes it in test mode', (path, value, allowed) => {
    const staging = stagingInput();
    const input = withPath(staging, path, value);
    expect(refusedKeys(input)).toEqual([path]);
    expect(refusalOf(input)).toContain(allowed);
    expect(refusalOf(withPath(input, 'appMode', 'test'))).toBe('');
  });

  it('needs no keyring where a key service holds the keys of personal data', () => {
    const without = withPath(prodInput(), 'secrets.PII_KEYRING', undefined);
    expect(refusedKeys(without)).toEqual(['secrets.PII_KEYRING']);
    expect(refusalOf(withPath(without, 'environment.KEY_SERVICE', 'aws-kms'))).toBe('');
    expect(refusedKeys(withPath(without, 'environment.KEY_SERVICE', 'none'))).toEqual([
      'secrets.PII_KEYRING',
    ]);
  });

  it('wants the bucket named where documents go into one', () => {
    const staging = stagingInput();
    expect(refusedKeys(withPath(staging, 'objectStore.type', 's3'))).toEqual([
      'environment.S3_BASE_URL',
      'environment.S3_BUCKET',
    ]);
    const bucket = [
      ['objectStore.type', 's3'],
      ['environment.S3_BASE_URL', 'https://s3.example'],
      ['environment.S3_BUCKET', 'documents'],
    ].reduce((input, [path = '', value]) => withPath(input, path, value), staging);
    // Without a key the pods' own identity is used.
    expect(refusalOf(bucket)).toBe('');
    const withKey = withPath(bucket, 'environment.S3_ACCESS_KEY_ID', 'key');
    expect(refusedKeys(withKey)).toEqual(['secrets.S3_SECRET_ACCESS_KEY']);
    const withSecret = withPath(bucket, 'secrets.S3_SECRET_ACCESS_KEY', 'a-secret-of-it');
    expect(refusedKeys(withSecret)).toEqual(['environment.S3_ACCESS_KEY_ID']);
  });

  it('refuses a testbed in production mode, where the sandbox would not start', () => {
    const input = withPath(readStackFile('dev'), 'appMode', 'production');
    expect(refusedKeys(input)).toEqual(['appMode']);
    expect(refusalOf(input)).toContain('needs development or test');
  });

  it('lets dev have what prod may not', () => {
    const input = withPath(readStackFile('dev'), 'image.tag', 'latest');
    expect(refusalOf({ ...input, secrets: { ...secretsOfItsOwn, JWT_SECRET: published } })).toBe(
      '',
    );
  });
});

const withoutSecret = (name: string) => withPath(prodInput(), `secrets.${name}`, undefined);

describe('secrets that are there already', () => {
  const others = { JWT_SECRET: { name: 'from-vault', key: 'jwt' } };
  const cloudNative = Object.fromEntries(
    Object.entries({ HOST: 'host', NAME: 'dbname', USER: 'user', PASSWORD: 'password' }).map(
      ([part, key]) => [`DATABASE_${part}`, { name: 'gold-app', key }],
    ),
  );

  it('take the place of those in the file', () => {
    expect(refusalOf({ ...withoutSecret('JWT_SECRET'), secretsFrom: others })).toBe('');
  });

  it('hold an address in parts, all of them', () => {
    const input = { ...withoutSecret('DATABASE_URL'), secretsFrom: cloudNative };
    expect(refusalOf(input)).toBe('');
    const { DATABASE_PASSWORD: _password, ...rest } = cloudNative;
    expect(refusedKeys({ ...input, secretsFrom: rest })).toEqual(['secrets.DATABASE_URL']);
  });

  it('may come from the outputs of another stack', () => {
    const reference = { stack: 'organization/stores/prod', output: 'jwtSecret' };
    const input = {
      ...withoutSecret('JWT_SECRET'),
      references: { secrets: { JWT_SECRET: reference } },
    };
    expect(refusalOf(input)).toBe('');
    const short = withPath(input, 'references.secrets.JWT_SECRET.stack', 'prod');
    expect(refusalOf(short)).toContain('must be organization/project/stack');
  });

  it('stand in one place', () => {
    const input = { ...prodInput(), secretsFrom: others };
    expect(refusedKeys(input)).toEqual(['secretsFrom.JWT_SECRET']);
    expect(refusalOf(input)).toContain('is in `secrets` too');
  });

  it.each([
    ['secretsFrom.JWT_SECRETS', { name: 'x', key: 'y' }, 'is not a secret of the service'],
    ['secretsFrom.JWT_SECRET.key', 'a b', 'must be letters, digits'],
    ['secretsFrom.JWT_SECRET.name', 'Vault', 'must be lower-case letters'],
  ])('are refused with %s = %j', (path, value, allowed) => {
    const input = withPath({ ...withoutSecret('JWT_SECRET'), secretsFrom: others }, path, value);
    expect(refusedKeys(input)).toEqual([path]);
    expect(refusalOf(input)).toContain(allowed);
  });
});

const prodByRelease = () => ({
  ...withPath(prodInput(), 'image', undefined),
  release: '1.2.3',
});

describe('a release', () => {
  it('names chart and image', () => {
    expect(refusalOf(prodByRelease())).toBe('');
    expect(parseInput(prodByRelease())).toMatchObject({
      chart: { chart: release.chart.source, version: '1.2.3' },
      image: release.image,
    });
  });

  it.each([
    ['release', '9.9.9', 'has no file in releases/; there are: 1.2.3'],
    ['release', '../1.2.3', 'must be a version'],
    ['image.tag', '1.2.4', 'is named by `release`'],
    ['image.digest', `sha256:${'ab'.repeat(32)}`, 'is named by `release`'],
  ])('is refused with %s = %j', (path, value, allowed) => {
    const input = withPath(prodByRelease(), path, value);
    expect(refusedKeys(input)).toEqual([path]);
    expect(refusalOf(input)).toContain(allowed);
  });

  it('leaves to the stack how the image is pulled', () => {
    const input = withPath(prodByRelease(), 'image.pullSecrets', ['registry']);
    expect(parseInput(input).image.pullSecrets).toEqual(['registry']);
  });
});

describe('values of the chart', () => {
  it.each([
    ['worker.resources.limits.memory', '1Gi'],
    [
      'networkPolicy.egress.database.to',
      [{ ipBlock: { cidr: '10.1.0.0/16', except: ['10.1.9.0/24'] } }],
    ],
    ['dnsConfig.options', [{ name: 'ndots', value: '2' }]],
    ['customer.autoscaling.behavior', { scaleDown: { stabilizationWindowSeconds: 600 } }],
    ['ingress.customer.enabled', false],
  ])('may be %s', (path, value) => {
    expect(refusalOf(withPath(prodInput(), `values.${path}`, value))).toBe('');
  });

  it.each([
    ['image.tag', '9', 'image', '`release` or `image`'],
    ['config.LOG_LEVEL', 'debug', 'config', '`environment`'],
    ['networkPolicy.enabled', false, 'networkPolicy.enabled', '`networkPolicy.enabled`'],
    ['worker.replicas', 1, 'worker.replicas', '`replicas.worker`'],
    ['ingress.accounting.className', 'public', 'ingress.accounting.className', '.reach`'],
    ['settings.initial.DIGITAL_SELL_ENABLED', 'true', 'settings', '`settings`'],
    [
      'worker.podDisruptionBudget.enabled',
      false,
      'worker.podDisruptionBudget.enabled',
      'must be true or left out in prod',
    ],
  ])('may not be %s = %j, which the error says by its rule', (path, value, key, allowed) => {
    const input = withPath(prodInput(), `values.${path}`, value);
    expect(refusedKeys(input)).toEqual([`values.${key}`]);
    expect(refusalOf(input)).toContain(allowed);
  });

  it.each([
    ['worker.config', { APP_MODE: 'test' }, 'worker.config.APP_MODE', '`appMode`'],
    ['admin.config', { CLOCK_CONTROL: true }, 'admin.config.CLOCK_CONTROL', 'must be false'],
    [
      'customer.config',
      { PAYMENT_GATEWAYS: 'sandbox' },
      'customer.config.PAYMENT_GATEWAYS',
      'real',
    ],
    ['migrations.config', { SETTINGS_DIR: '/x' }, 'migrations.config.SETTINGS_DIR', 'the chart'],
    [
      'extraEnv',
      [{ name: 'ALLOW_TEST_PAYMENTS', value: 'true' }],
      'extraEnv.ALLOW_TEST_PAYMENTS',
      'where payments are money',
    ],
    [
      'accounting.extraEnv',
      [{ name: 'APP_MODE', valueFrom: { configMapKeyRef: { name: 'own', key: 'mode' } } }],
      'accounting.extraEnv.APP_MODE',
      '`appMode`',
    ],
    [
      'worker.extraEnv',
      [{ name: 'SAFEGOLD_BASE_URL', value: 'http://sandbox' }],
      'worker.extraEnv.SAFEGOLD_BASE_URL',
      'https://',
    ],
    [
      'worker.extraEnv',
      [{ name: 'JWT_SECRET', value: 'x' }],
      'worker.extraEnv.JWT_SECRET',
      'secret',
    ],
  ])('may not say a variable against its rule: %s = %j', (path, value, key, allowed) => {
    const input = withPath(prodInput(), `values.${path}`, value);
    expect(refusedKeys(input)).toEqual([`values.${key}`]);
    expect(refusalOf(input)).toContain(allowed);
  });

  it.each([
    ['worker.config', { JOB_CONCURRENCY: 8 }],
    [
      'worker.extraEnv',
      [{ name: 'JWT_SECRET', valueFrom: { secretKeyRef: { name: 'own', key: 'jwt' } } }],
    ],
  ])('may say a variable that no rule is about: %s = %j', (path, value) => {
    expect(refusalOf(withPath(prodInput(), `values.${path}`, value))).toBe('');
  });

  it('are in clear, and so may not be encrypted', () => {
    const input = withPath(prodInput(), 'values.commonLabels', { team: 'gold' });
    expect(refusalOf(input, [`${keyPrefix}secrets`, `${keyPrefix}values`])).toContain(
      'digital-gold:values holds a secret',
    );
  });
});

describe('the cluster', () => {
  const without = withPath(prodInput(), 'kubeContext', undefined);
  const reference = { stack: 'organization/cluster/prod', output: 'kubeconfig' };
  const encrypted = [`${keyPrefix}secrets`, `${keyPrefix}kubeconfig`];

  it('may be named by a kubeconfig, encrypted', () => {
    const input = { ...without, kubeconfig: 'apiVersion: v1' };
    expect(refusalOf(input, encrypted)).toBe('');
    expect(refusalOf(input)).toContain('digital-gold:kubeconfig is in clear');
  });

  it('may be named by the stack that made it, not by both', () => {
    const input = { ...without, references: { kubeconfig: reference } };
    expect(refusalOf(input)).toBe('');
    expect(refusalOf({ ...input, kubeconfig: 'apiVersion: v1' }, encrypted)).toContain(
      'references.kubeconfig stands beside `kubeconfig`',
    );
  });
});
