import { describe, expect, it } from 'vitest';
import { migrateVariables } from '../apps/migrate/migrate.variables.ts';
import { operatorVariables } from '../apps/operator/operator.variables.ts';
import { ConfigError, parseConfig, type Environment } from '../platform/config/config.ts';
import { loadConfig } from './load-config.ts';

const secured = {
  DATABASE_URL: 'postgresql://dgs_app:word-one@db.example/gold?sslmode=verify-full',
  REDIS_URL: 'rediss://:word-two@cache.example:6380',
};
const production = {
  ...secured,
  PII_KEYRING: `k1:${Buffer.alloc(32, 'k').toString('base64')}`,
  BLIND_INDEX_KEY: 'a-blind-index-key-of-its-own-0001',
  CREDENTIAL_PEPPER: 'a-credential-pepper-of-its-own-01',
  JWT_SECRET: 'a-signing-secret-of-its-own-00001',
};

const refusalOf = (parse: () => unknown): string => {
  try {
    parse();
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};
const refuse = (env: Environment): string => refusalOf(() => loadConfig({}, env));

describe('production', () => {
  it('takes connections to its stores with TLS and a password', () => {
    expect(refuse(production)).toBe('');
    for (const more of ['sslmode=require', 'ssl=true', 'sslmode=verify-ca&ssl=1']) {
      const DATABASE_URL = `postgresql://dgs_app:word-one@db.example/gold?${more}`;
      expect(refuse({ ...production, DATABASE_URL })).toBe('');
    }
  });

  it.each([
    ['DATABASE_URL', 'postgresql://dgs_app:word-one@db.example/gold'],
    ['DATABASE_URL', 'postgresql://dgs_app:word-one@127.0.0.1/gold'],
    ['DATABASE_URL', 'postgresql://dgs_app:word-one@db.example/gold?sslmode=disable'],
    ['DATABASE_URL', 'postgresql://dgs_app:word-one@db.example/gold?sslmode=prefer'],
    ['DATABASE_URL', 'postgresql://dgs_app:word-one@db.example/gold?sslmode=no-verify'],
    ['DATABASE_URL', 'postgresql://dgs_app:word-one@db.example/gold?ssl=false&sslmode=require'],
    [
      'DATABASE_URL',
      'postgresql://dgs_app:word-one@db.example/gold?sslmode=require&sslmode=disable',
    ],
    [
      'DATABASE_URL',
      'postgresql://dgs_app:word-one@db.example/gold?sslmode=require&uselibpqcompat=true',
    ],
    ['DATABASE_URL', 'postgresql://dgs_app@db.example/gold?sslmode=require'],
    ['REDIS_URL', 'redis://:word-two@cache.example:6379'],
    ['REDIS_URL', 'rediss://cache.example:6380'],
    ['REDIS_URL', 'rediss://name@cache.example:6380'],
  ])('refuses %s as %s, unless the network is trusted', (name, url) => {
    const env = { ...production, [name]: url };
    expect(refuse(env)).toMatch(new RegExp(`^${name}: .*TLS and a password`, 'u'));
    expect(refuse(env)).not.toContain('word-');
    expect(refuse({ ...env, ALLOW_PLAIN_STORES: 'false' })).toContain(name);
    expect(refuse({ ...env, ALLOW_PLAIN_STORES: 'true' })).toBe('');
    expect(refuse({ ...env, APP_MODE: 'test' })).toBe('');
  });

  it("refuses to leave servers' certificates unchecked", () => {
    const unchecked = { ...production, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(refuse(unchecked)).toContain('NODE_TLS_REJECT_UNAUTHORIZED: ');
    expect(refuse({ ...unchecked, ALLOW_PLAIN_STORES: 'true' })).not.toBe('');
    expect(refuse({ ...unchecked, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toBe('');
    expect(refuse({ ...unchecked, APP_MODE: 'test' })).toBe('');
  });

  it('holds the migrations and the operator command to it too', () => {
    const MIGRATE_DATABASE_URL = 'postgresql://dgs_migrate:word@db.example/gold';
    expect(refusalOf(() => parseConfig(migrateVariables, { MIGRATE_DATABASE_URL }))).toContain(
      'MIGRATE_DATABASE_URL: ',
    );
    const DATABASE_URL = 'postgresql://dgs_app:word@db.example/gold';
    const operator = { ...production, DATABASE_URL };
    expect(refusalOf(() => parseConfig(operatorVariables, operator))).toContain('DATABASE_URL: ');
  });
});
