#!/usr/bin/env node
import { existsSync, readdirSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const cli = join(import.meta.dirname, '..');
const bundle = join(cli, 'dist', 'goldctl.js');
const source = join(cli, 'src');

const newestIn = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)).mtimeMs),
  );

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
