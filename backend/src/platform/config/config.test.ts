import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, defineVariables, parseConfig } from './config.ts';
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
