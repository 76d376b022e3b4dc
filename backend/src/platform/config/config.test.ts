import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, defineVariables, parseConfig } from './config.ts';
import { databasePartVariables } from './database-address.ts';
import { appMode, flag, httpUrl, integer, list, secret, secretList } from './kinds.ts';

const table = defineVariables({
  APP_MODE: { schema: appMode(), doc: 'the mode' },
  POOL: { schema: integer(10, 1, 50), doc: 'connections' },
  NAMES: { schema: list('a,b'), doc: 'names' },
  ON: { schema: flag(false), doc: 'a flag' },
  URL: { schema: httpUrl(), doc: 'an address' },
  TOKEN: { schema: secret(20), doc: 'a token', secret: true },
  WORD: { schema: z.string().optional(), doc: 'a word' },
});
const good = { APP_MODE: 'test', URL: 'https://x.example.test/', TOKEN: 'x'.repeat(20) };

const problemsOf = (env: Record<string, string>): string => {
  try {
    parseConfig(table, env);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};

describe('the configuration', () => {
  it('parses values, defaults and empty texts', () => {
    expect(parseConfig(table, { ...good, NAMES: ' x , y,', ON: 'true', POOL: '' })).toEqual({
      APP_MODE: 'test',
      POOL: 10,
      NAMES: ['x', 'y'],
      ON: true,
      URL: 'https://x.example.test',
      TOKEN: 'x'.repeat(20),
      WORD: undefined,
    });
  });

  it('names every variable that is missing or wrong, and no value', () => {
    const problems = problemsOf({ POOL: '99', ON: 'yes', URL: 'ftp://x', TOKEN: 'tiny-secret' });
    expect(problems.split('\n').map((line) => line.split(':')[0])).toEqual([
      'POOL',
      'ON',
      'URL',
      'TOKEN',
    ]);
    expect(problems).not.toContain('tiny-secret');
    expect(problemsOf({ APP_MODE: 'test' })).toContain('TOKEN: is missing (a token)');
  });

  it('takes a list of secrets, or one, and refuses a short one in it', () => {
    const keys = defineVariables({ KEY: { schema: secretList(8), doc: 'keys', secret: true } });
    const parse = (KEY: string) => parseConfig(keys, { APP_MODE: 'test', KEY }).KEY;
    expect(parse('long-enough')).toBe('long-enough');
    expect(parse('long-enough-1, long-enough-2')).toBe('long-enough-1, long-enough-2');
    for (const wrong of ['short', 'long-enough,short', 'long-enough,', 'same-same,same-same']) {
      expect(() => parse(wrong)).toThrow('KEY: each of the list must have at least 8 characters');
    }
  });

  it('reads a secret from the file that NAME_FILE names', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'token');
    writeFileSync(file, `${'y'.repeat(20)}\n`);
    const { TOKEN: _token, ...rest } = good;
    expect(parseConfig(table, { ...rest, TOKEN_FILE: file }).TOKEN).toBe('y'.repeat(20));
    expect(problemsOf({ ...rest, TOKEN_FILE: `${file}.gone` })).toBe('TOKEN_FILE: cannot be read');
  });

  it('is production unless said otherwise, and then refuses published secrets', () => {
    const published = 'dev-only-token-of-the-stack';
    const inBase64 = Buffer.from('dev-only-key-of-32-bytes........').toString('base64');
    for (const TOKEN of [published, `k1:${inBase64}`]) {
      const { APP_MODE: _mode, ...rest } = good;
      expect(problemsOf({ ...rest, TOKEN })).toContain('refused in production');
      expect(problemsOf({ ...rest, APP_MODE: '', TOKEN })).toContain('refused in production');
      expect(problemsOf({ ...good, APP_MODE: 'development', TOKEN })).toBe('');
    }
  });
});

describe("the database's address", () => {
  const database = defineVariables({
    DATABASE_URL: {
      schema: z.url({ protocol: /^postgresql$/u, message: 'must be a postgresql:// address' }),
      doc: 'the database',
      secret: true,
      store: 'database',
    },
    ...databasePartVariables,
  });
  const parts = {
    DATABASE_HOST: 'gold-rw',
    DATABASE_NAME: 'gold',
    DATABASE_USER: 'app',
    DATABASE_PASSWORD: 'p@ss/word:1',
  };
  const addressOf = (env: Record<string, string>) => parseConfig(database, env).DATABASE_URL;

  it('is put together from its parts, each part escaped', () => {
    const test = { APP_MODE: 'test' };
    expect(addressOf({ ...test, ...parts })).toBe(
      'postgresql://app:p%40ss%2Fword%3A1@gold-rw:5432/gold',
    );
    expect(addressOf({ ...test, ...parts, DATABASE_HOST: 'fd00::5', DATABASE_PORT: '6432' })).toBe(
      'postgresql://app:p%40ss%2Fword%3A1@[fd00::5]:6432/gold',
    );
  });

  it('gets the TLS that is asked for, as parts and as an address', () => {
    const tls = { DATABASE_SSLMODE: 'verify-full', DATABASE_CA_FILE: '/etc/ca/ca.crt' };
    const query = '?sslmode=verify-full&sslrootcert=%2Fetc%2Fca%2Fca.crt';
    expect(addressOf({ ...parts, ...tls })).toBe(
      `postgresql://app:p%40ss%2Fword%3A1@gold-rw:5432/gold${query}`,
    );
    const given = 'postgresql://app:word@gold-rw:5432/gold';
    expect(addressOf({ ...tls, DATABASE_URL: given })).toBe(given + query);
    expect(addressOf({ ...tls, DATABASE_URL: `${given}?sslmode=disable` })).toBe(given + query);
  });

  it('of parts is held to TLS and a password in production, as any other', () => {
    expect(() => addressOf(parts)).toThrow('DATABASE_URL: needs TLS and a password in production');
    const { DATABASE_PASSWORD: _password, ...open } = parts;
    expect(() => addressOf({ ...open, DATABASE_SSLMODE: 'require' })).toThrow('a password');
  });

  it('may name several hosts, in parts and as an address', () => {
    const hosts = '?hosts=one%3A5432%2Ctwo%3A5432';
    const test = { APP_MODE: 'test' };
    expect(addressOf({ ...test, ...parts, DATABASE_HOST: 'one,two' })).toBe(
      `postgresql://app:p%40ss%2Fword%3A1@one:5432/gold${hosts}`,
    );
    const given = 'postgresql://app:word@one:5432,two:5432/gold';
    expect(addressOf({ ...test, DATABASE_URL: given })).toBe(
      `postgresql://app:word@one:5432/gold${hosts}`,
    );
    expect(() => addressOf({ DATABASE_URL: given })).toThrow('needs TLS and a password');
    const tls = `${given}?sslmode=require`;
    expect(addressOf({ DATABASE_URL: tls })).toContain('hosts=one');
    const standby = `${given}?target_session_attrs=standby`;
    expect(() => addressOf({ ...test, DATABASE_URL: standby })).toThrow('target_session_attrs');
    expect(() => addressOf({ ...test, ...parts, DATABASE_HOST: 'one,t wo' })).toThrow(
      'names an invalid host',
    );
  });

  it('is one or the other, and names the part that is missing', () => {
    const both = { APP_MODE: 'test', ...parts, DATABASE_URL: 'postgresql://app@gold-rw/gold' };
    expect(() => addressOf(both)).toThrow('DATABASE_URL: is given beside DATABASE_HOST');
    const { DATABASE_NAME: _name, ...nameless } = parts;
    expect(() => addressOf(nameless)).toThrow('DATABASE_URL: DATABASE_NAME is needed');
    expect(() => addressOf({ APP_MODE: 'test' })).toThrow('DATABASE_URL: is missing');
  });
});

it('the configuration takes a file that is not there as absent where the variable may be absent', () => {
  const optional = defineVariables({
    TOKEN: { schema: secret(20).optional(), doc: 'a token', secret: true },
  });
  expect(parseConfig(optional, { TOKEN_FILE: '/nowhere/TOKEN' }).TOKEN).toBeUndefined();
});
