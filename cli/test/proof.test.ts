import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { golden } from './support/golden.ts';
import { runInProcess } from './support/run-in-process.ts';
import { openStubApi, type StubApi } from './support/stub-api.ts';

const sample = (name: string): string => join(import.meta.dirname, 'samples', name);

let folder: string;
let api: StubApi;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'goldctl-proof-'));
  api = await openStubApi();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  return api.close();
});

/** Writes a changed copy of a sample. */
const changed = (name: string, change: (text: string) => string): string => {
  const path = join(folder, name);
  writeFileSync(path, change(readFileSync(sample(name), 'utf8')));
  return path;
};

const proof = (...args: readonly string[]) => runInProcess(['proof', ...args]);
const goldctl = (...args: readonly string[]) =>
  runInProcess(['--admin-url', api.url, 'proof', ...args], { env: { GOLDCTL_TOKEN: 'x' } });

describe('proof verify', () => {
  it('verifies a leaf, and says what was signed', async () => {
    const { code, stdout } = await proof('verify', sample('proof.json'));
    expect(code).toBe(0);
    expect(stdout).toBe(golden('proof-verify.txt', stdout));
    const json = await proof('verify', sample('proof.json'), '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({ proven: true, checked: 'LEAF', accounts: 5 });
  });

  it('verifies a statement alone, and that it follows the one before', async () => {
    const previous = sample('statement-before.json');
    const found = await proof('verify', sample('statement.json'), '--previous', previous);
    expect(found).toMatchObject({ code: 0 });
    const other = await proof(
      'verify',
      sample('statement.json'),
      '--previous',
      sample('proof.json'),
    );
    expect(other).toMatchObject({ code: 3 });
    expect(other.stderr).toContain('does not follow');
  });

  it.each([
    ['other grams', (text: string) => text.replace('"0.00020000"', '"0.00020001"')],
    ['another neighbour', (text: string) => text.replace(/"grams": "1001/u, '"grams": "1002')],
    ['another position', (text: string) => text.replace('"position": 4', '"position": 3')],
    ['another text', (text: string) => text.replace('accounts\\":5', 'accounts\\":6')],
    ['a negative sum', (text: string) => text.replace(/"grams": "1001/u, '"grams": "-1001')],
  ])('does not prove %s', async (_name, change) => {
    const found = await proof('verify', changed('proof.json', change));
    expect(found).toMatchObject({ code: 3, stdout: '' });
    expect(found.stderr).toContain('not proven: ');
  });

  it('does not take another key, customer or amount than the reader knows', async () => {
    for (const known of [
      ['--key', 'A'.repeat(43)],
      ['--customer', '0199d8f2-6a0c-7d4e-9c55-000000000001'],
      ['--grams', '0.00020001'],
    ]) {
      expect(await proof('verify', sample('proof.json'), ...known)).toMatchObject({ code: 3 });
    }
  });

  it('wants a file that is a proof', async () => {
    expect(await proof('verify', join(folder, 'nowhere.json'))).toMatchObject({ code: 2 });
    expect(await proof('verify', sample('leaves.csv'))).toMatchObject({ code: 2 });
  });
});

const rebuild = (leaves: string) =>
  proof('rebuild', leaves, '--statement', sample('statement.json'));

const lines = (change: (lines: string[]) => string[]) => (text: string) =>
  change(text.split('\r\n')).join('\r\n');

describe('proof rebuild', () => {
  it('finds the signed root from every leaf', async () => {
    const { code, stdout } = await rebuild(sample('leaves.csv'));
    expect(code).toBe(0);
    expect(stdout).toBe(golden('proof-rebuild.txt', stdout));
  });

  it.each([
    ['an omitted customer', lines((all) => all.toSpliced(2, 1))],
    ['a customer twice', lines((all) => all.with(2, all[1] ?? ''))],
    ['another order', lines((all) => all.with(1, all[2] ?? '').with(2, all[1] ?? ''))],
    ['another amount', (text: string) => text.replace('0.06680000', '0.06680001')],
    ['a negative amount', (text: string) => text.replace('0.06680000', '-0.06680000')],
    ['an empty leaf', (text: string) => text.replace('0.06680000', '0.00000000')],
  ])('notices %s', async (_name, change) => {
    const found = await rebuild(changed('leaves.csv', change));
    expect(found).toMatchObject({ code: 3, stdout: '' });
  });
});

const run = {
  id: '019a8c7e-0000-7000-8000-000000000001',
  day: '2026-11-21',
  trigger: 'OPERATOR',
  status: 'QUEUED',
  requestedAt: '2026-11-21T10:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  reason: null,
  detail: null,
  sequence: null,
};
const published = { ...run, status: 'PUBLISHED', sequence: 7 };
const refused = { ...run, status: 'REFUSED', reason: 'BOOKS_DIFFER' };

describe('proof list and publish', () => {
  it('lists what was made', async () => {
    api.answer({ body: { items: [refused, published], total: 2, page: 1, limit: 20 } });
    const { stdout } = await goldctl('list');
    expect(stdout).toBe(golden('proof-list.txt', stdout));
  });

  it('prints the statement that was published', async () => {
    api.answer({ body: published });
    const found = await goldctl('publish');
    expect(found).toMatchObject({ code: 0 });
    expect(found.stdout).toBe(golden('proof-publish.txt', found.stdout));
  });

  it('ends with findings where nothing was signed, and in time', async () => {
    api.answer({ body: refused });
    const found = await goldctl('publish');
    expect(found.code).toBe(3);
    expect(found.stderr).toContain('nothing was signed: BOOKS_DIFFER');
    api.answer({ body: run });
    expect((await goldctl('publish', '--wait', '2')).code).toBe(124);
  });
});
