import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const cli = import.meta.dirname;

const manifest = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')) as {
  version: string; // the file's own form
};

const isPart = (path: string): boolean => path.includes('/parts/');

/**
 * Bundles goldctl into `outdir`, `cli/dist` unless given: `goldctl.js` and the parts that only
 * some commands load. Each file is written aside and renamed, the entry last, so a goldctl that
 * starts meanwhile never reads half of it.
 */
export const buildGoldctl = async (outdir = join(cli, 'dist')): Promise<void> => {
  const { outputFiles } = await build({
    entryPoints: { goldctl: join(cli, 'src', 'main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    packages: 'external',
    // A workspace of TypeScript source, which Node can't load.
    alias: { '@digital-gold/client': join(cli, '..', 'backend', 'client', 'src', 'index.ts') },
    define: { GOLDCTL_VERSION: JSON.stringify(manifest.version) },
    write: false,
    logLevel: 'silent',
    absWorkingDir: cli,
  });
  const partsFirst = outputFiles.toSorted(
    (a, b) => Number(isPart(b.path)) - Number(isPart(a.path)),
  );
  for (const { path, contents } of partsFirst) {
    mkdirSync(dirname(path), { recursive: true });
    const staging = `${path}.${process.pid}`;
    writeFileSync(staging, contents);
    renameSync(staging, path);
  }
};

if (process.argv[1] === import.meta.filename) await buildGoldctl();
