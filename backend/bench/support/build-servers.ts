import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';

const bench = join(import.meta.dirname, '..');
const outdir = join(bench, '..', 'dist', 'bench');

/** Returns the path of a bundle of `bench/servers`. */
export const serverBundle = (name: string): string => join(outdir, `${name}.js`);

/** Bundles `bench/servers` as the service's own processes are bundled. */
export const buildServers = async (): Promise<void> => {
  const servers = join(bench, 'servers');
  await build({
    entryPoints: readdirSync(servers).map((name) => join(servers, name)),
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    packages: 'external',
    sourcemap: true,
    logLevel: 'silent',
  });
};
