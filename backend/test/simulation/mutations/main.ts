import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { guards, type Mutation } from './guards.ts';

/*
 * Breaks one guard after another in a copy of the backend, and plays stories until one fails.
 * Prints a row of Markdown for each, with the check that found it and the number of steps. ONLY is
 * a pattern for their names. SEEDS and STEPS limit the search.
 */

const backend = join(import.meta.dirname, '..', '..', '..');
const repository = join(backend, '..');
const skipped = new Set(['node_modules', '.git', '.dev', '.tools', 'dist', 'bench', 'docs']);

const numberFrom = (name: string, fallback: number): number => {
  const text = process.env[name] ?? '';
  return /^\d+$/u.test(text) ? Number(text) : fallback;
};
const [seeds, steps] = [numberFrom('SEEDS', 6), numberFrom('STEPS', 500)];

/** Copies the backend without its packages. */
const copyBackend = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'digital-gold-mutation-'));
  cpSync(backend, join(folder, 'backend'), {
    recursive: true,
    filter: (path) => !skipped.has(basename(path)),
  });
  cpSync(join(repository, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  return folder;
};

const run = (folder: string): Promise<string> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      SEED: '1',
      SEEDS: String(seeds),
      STEPS: String(steps),
      TRIES: '0',
    };
    const child = spawn(process.execPath, ['test/simulation/main.ts'], {
      cwd: join(folder, 'backend'),
      env: { ...env, STOP_AT_FIRST: 'true', REPORT: '' },
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('close', () => resolve(text));
  });

/**
 * Breaks a guard, plays stories, and restores it. Returns the check that found it, or undefined if
 * none did.
 */
const judge = async (folder: string, { file, find, replace }: Mutation) => {
  const path = join(folder, 'backend', file);
  const whole = readFileSync(path, 'utf8');
  if (!whole.includes(find)) throw new Error(`${file} does not say: ${find}`);
  writeFileSync(
    path,
    whole.replaceAll(find, () => replace),
  );
  try {
    const found = /^seed (\d+) failed at step (\d+): (.*)$/mu.exec(await run(folder));
    if (found === null) return undefined;
    const [, seed = '', step = '', check = ''] = found;
    return { steps: (Number(seed) - 1) * steps + Number(step), check };
  } finally {
    writeFileSync(path, whole);
  }
};

const only = new RegExp(process.env['ONLY'] ?? '', 'u');
// PART=1/2 plays every second guard, so that two processes can share the work.
const [part = 0, parts = 1] = (process.env['PART'] ?? '0/1').split('/').map(Number);
const chosen = guards.filter(({ name }, index) => only.test(name) && index % parts === part);
const folder = copyBackend();
let missed = 0;
try {
  for (const guard of chosen) {
    const found = await judge(folder, guard);
    if (found === undefined) missed += 1;
    const row = found === undefined ? 'not found | ' : `${found.steps} | ${found.check}`;
    process.stdout.write(`| ${guard.name} | ${row} |\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(missed === 0 ? 0 : 1);
