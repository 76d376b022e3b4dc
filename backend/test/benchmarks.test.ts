import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the runner loads every benchmark from its sources, and names them where another is asked for', () => {
  const load = ['--import', 'tsx', 'bench/main.ts', 'no-such-benchmark'];
  const cwd = join(import.meta.dirname, '..');
  const { status, stderr } = spawnSync(process.execPath, load, { cwd, encoding: 'utf8' });
  expect(stderr).toContain('no benchmark no-such-benchmark; there are: process-figures, ');
  expect(status).toBe(1);
});
