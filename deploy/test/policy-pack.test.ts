import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const deploy = join(import.meta.dirname, '..');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-pack-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const build = (): void => {
  const args = ['run', '--silent', 'build:policy', '--', folder];
  execFileSync('npm', args, { cwd: deploy });
};

const names = ['PulumiPolicy.yaml', 'main.js', 'package.json'];

/** Returns the time at which each file of the pack was written. */
const written = () => names.map((name) => statSync(join(folder, name), { bigint: true }).mtimeNs);

it('stays as it is while another deployment builds it again', { timeout: 240_000 }, () => {
  build();
  const first = written();
  build();
  expect(written()).toEqual(first);
});

it('is built anew where it is another one', { timeout: 240_000 }, () => {
  build();
  const main = join(folder, 'main.js');
  const built = readFileSync(main, 'utf8');
  writeFileSync(main, 'of an earlier checkout');
  build();
  expect(readFileSync(main, 'utf8')).toBe(built);
  expect(readdirSync(folder).toSorted()).toEqual(names.toSorted());
});
