import { describe, expect, it } from 'vitest';
import {
  prodInput,
  readStackFile,
  refusalOf,
  refusedKeys,
  secretsOfItsOwn,
  withPath,
} from '../../test/support/stack-texts.ts';

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
    const input = withPath({ ...readStackFile('staging'), secrets: secretsOfItsOwn }, path, value);
    expect(refusedKeys(input)).toEqual([path]);
    expect(refusalOf(input)).toContain(allowed);
  });

  it.each([
    ['secrets.JWT_SECRET', published, 'published development secret'],
    ['environment.PAYMENT_GATEWAYS', 'sandbox', 'only real gateways'],
  ])('refuses %s = %j in production mode, and takes it in test mode', (path, value, allowed) => {
    const staging = { ...readStackFile('staging'), secrets: secretsOfItsOwn };
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
    const staging = { ...readStackFile('staging'), secrets: secretsOfItsOwn };
    expect(refusedKeys(withPath(staging, 'objectStore.type', 's3'))).toEqual([
      'environment.S3_BASE_URL',
      'environment.S3_BUCKET',
      'environment.S3_ACCESS_KEY_ID',
      'secrets.S3_SECRET_ACCESS_KEY',
    ]);
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
