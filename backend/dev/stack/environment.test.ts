import { expect, it } from 'vitest';
import { environmentOf, longRunning, readinessUrl, type StackAddresses } from './environment.ts';
import { describeEndpoints, describeEnvironment } from './stack-files.ts';
import { readPorts } from './stack-ports.ts';

const addresses: StackAddresses = {
  mode: 'development',
  ports: readPorts({ WORKER_INTERNAL_PORT: '5103' }),
  databaseUrl: 'postgresql://dgs_app:a@127.0.0.1:4020/digital_gold',
  migrateUrl: 'postgresql://dgs_migrate:b@127.0.0.1:4020/digital_gold',
  redisUrl: 'redis://127.0.0.1:4021',
  settingsDir: "/a folder/with 'quotes'",
  objectsDir: '/objects',
  sandboxDir: '/sandbox',
};

it("the stack's environment gives each process its ports", () => {
  expect(environmentOf('customer', addresses)).toMatchObject({
    PORT: '4000',
    INTERNAL_PORT: '4100',
  });
  expect(environmentOf('worker', addresses)['PORT']).toBeUndefined();
  expect(readinessUrl('worker', addresses.ports)).toBe('http://127.0.0.1:5103/readyz');
  expect(readinessUrl('sandbox', addresses.ports)).toBe('http://127.0.0.1:4010/_control/clock');
});

it("the stack's environment keeps the stores and keys from the sandbox, and the owner role from all", () => {
  const sandbox = environmentOf('sandbox', addresses);
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'PII_KEYRING', 'JWT_SECRET']) {
    expect(sandbox).not.toHaveProperty(name);
  }
  for (const name of longRunning) {
    expect(environmentOf(name, addresses)).not.toHaveProperty('MIGRATE_DATABASE_URL');
  }
  expect(environmentOf('migrate', addresses)).not.toHaveProperty('DATABASE_URL');
});

it("the stack's environment marks every secret as published, so that production refuses it", () => {
  const { PII_KEYRING = '', ...environment } = environmentOf('customer', addresses);
  const secrets = Object.entries(environment).filter(([name]) =>
    /SECRETS?$|TOKEN$|AUTH_KEY$/u.test(name),
  );
  expect(secrets.length).toBeGreaterThan(5);
  for (const [name, value] of secrets) expect(`${name} ${value}`).toContain(' dev-only-');
  const keys = [PII_KEYRING.replace('k1:', ''), environment['BLIND_INDEX_KEY'] ?? ''];
  for (const key of keys) {
    const bytes = Buffer.from(key, 'base64');
    expect(bytes.toString()).toMatch(/^dev-only-/u);
    expect(bytes.length).toBe(32);
  }
});

it("the stack's environment describes the endpoints as tests and tools expect them", () => {
  const endpoints = describeEndpoints(addresses);
  expect(endpoints).toMatchObject({
    customer: 'http://127.0.0.1:4000',
    admin: 'http://127.0.0.1:4001',
    accounting: 'http://127.0.0.1:4002',
    sandbox: 'http://127.0.0.1:4010',
    internal: {
      customer: 'http://127.0.0.1:4100',
      admin: 'http://127.0.0.1:4101',
      accounting: 'http://127.0.0.1:4102',
      worker: 'http://127.0.0.1:5103',
    },
    redis: 'redis://127.0.0.1:4021',
    webhookSecrets: {
      payment: {
        sandbox: expect.any(String),
        razorpay: expect.any(String),
        cashfree: expect.any(String),
      },
    },
  });
  expect(Object.keys(endpoints.admins)).toEqual(['SUPER_ADMIN', 'ADMIN', 'SUPPORT']);
  expect(Object.keys(endpoints.portalUsers)).toHaveLength(8);
});

it("the stack's environment is written as a file that a shell reads", () => {
  const text = describeEnvironment(addresses);
  expect(text).toContain('\nREDIS_URL=redis://127.0.0.1:4021\n');
  expect(text).toContain(`\nSETTINGS_DIR='/a folder/with '\\''quotes'\\'''\n`);
  expect(text).toContain('\n# worker besides:\n# INTERNAL_PORT=5103\n');
  expect(text).not.toMatch(/^PORT=/mu);
});
