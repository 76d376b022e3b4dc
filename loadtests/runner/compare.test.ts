import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compare-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const putReport = (name: string, p95: number, ok: boolean): string => {
  const values = { 'p(95)': p95, count: 7 };
  const report = {
    suite: 'journeys',
    title: 'Journeys',
    profile: 'load',
    ok,
    seconds: 1,
    verdicts: [
      {
        threshold: 'http_req_duration p(95)<100',
        says: 'answered in time',
        part: 'house',
        ok,
        observed: '',
        values,
      },
    ],
    figures: [{ says: 'requests made', observed: '7', values: { count: 7 } }],
  };
  const run = mkdtempSync(join(folder, name));
  writeFileSync(join(run, 'journeys.json'), JSON.stringify(report));
  return run;
};

const compare = (...args: readonly string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const program = join(import.meta.dirname, 'compare.ts');
    execFile(process.execPath, ['--import', 'tsx', program, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });

it('shows what differs, and how much', async () => {
  const { code, stdout } = await compare(putReport('a', 80, true), putReport('b', 90, true));
  expect(code).toBe(0);
  expect(stdout).toContain('## Journeys, load');
  expect(stdout).toContain('| house answered in time, p(95) | 80 | 90 | +13 % |');
  expect(stdout).not.toContain('requests made');
});

it('ends with 1 where a threshold no longer holds', async () => {
  const { code, stdout } = await compare(putReport('a', 80, true), putReport('b', 120, false));
  expect(code).toBe(1);
  expect(stdout).toContain('**No longer holds:** answered in time (http_req_duration p(95)<100)');
});

it('ends with 0 where it did not hold before either', async () => {
  expect((await compare(putReport('a', 120, false), putReport('b', 110, false))).code).toBe(0);
});

it('ends with 2 and one line when there is nothing to compare', async () => {
  const { code, stderr } = await compare(folder, folder);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^no suite has a report in .*\n$/u);
  expect((await compare()).code).toBe(2);
});
