#!/usr/bin/env node
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const cli = join(import.meta.dirname, '..');
const bundle = join(cli, 'dist', 'goldctl.js');
const source = join(cli, 'src');

const newestIn = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)).mtimeMs),
  );

/** Runs this again by the Node that `make` brought, since the one on the PATH is too old. */
const runAgain = (node) => {
  const again = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends its Ctrl+C to both.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => again.kill(signal));
  return new Promise((resolve) => {
    again.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
};

const brought = join(cli, '..', '.tools', 'node', 'bin', 'node');
if (existsSync(brought) && realpathSync(brought) !== process.execPath)
  process.exit(await runAgain(brought));

/** In the source tree the bundle is made when there is none or the source is newer. */
const isStale = () =>
  existsSync(source) && (!existsSync(bundle) || newestIn(source) > statSync(bundle).mtimeMs);

if (isStale()) {
  const tsx = fileURLToPath(import.meta.resolve('tsx'));
  const { status } = spawnSync(
    process.execPath,
    ['--import', pathToFileURL(tsx).href, join(cli, 'build.ts')],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status !== 0) process.exit(1);
}

await import(pathToFileURL(bundle).href);
