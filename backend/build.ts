import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { runOrThrow } from './dev/stack/run-command.ts';

const backend = import.meta.dirname;
const dist = join(backend, 'dist');
const apps = join(backend, 'src', 'apps');

/** Each process's entry, `src/apps/<app>/main.ts`. The stack itself is run from its source. */
const entries = (): Record<string, string> => {
  const names = readdirSync(apps);
  const found = names.map((name): [string, string] => [name, join(apps, name, 'main.ts')]);
  return Object.fromEntries(found.filter(([, path]) => existsSync(path)));
};

/** The names of the processes that can be built. */
export const listApps = (): string[] => Object.keys(entries());

/** Names the files of an app that its bundle reads from its own folder. */
const assets: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['page/sandbox-page.css', 'page/sandbox-page.js'],
  customer: ['verify.html', 'verify.css', 'verify-page.mjs', 'verify.mjs'].map(
    (name) => `../../modules/proof-of-gold/verifier/${name}`,
  ),
};

/**
 * Writes a file aside and renames it, so a process that starts meanwhile never reads half of it.
 */
const writeWhole = (path: string, contents: Uint8Array): void => {
  mkdirSync(dirname(path), { recursive: true });
  const staging = `${path}.${process.pid}`;
  writeFileSync(staging, contents);
  renameSync(staging, path);
};

/**
 * Bundles programs into `dist`. A bundle holds only what its program uses: package.json says that
 * no module does anything by being loaded (`sideEffects`).
 */
const bundle = async (entryPoints: Record<string, string>): Promise<void> => {
  const result = await build({
    entryPoints,
    outdir: dist,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    packages: 'external',
    sourcemap: true,
    // Stacks need the lines alone, and each process would keep the text of its source in memory.
    sourcesContent: false,
    write: false,
    logLevel: 'silent',
    absWorkingDir: backend,
  });
  for (const file of result.outputFiles) writeWhole(file.path, file.contents);
};

/** Bundles processes into `dist/<app>/main.js`, with their assets, all unless some are named. */
export const buildApps = async (names: readonly string[] = listApps()): Promise<void> => {
  const known = entries();
  const entryPoints = names.map((name): [string, string] => {
    const path = known[name];
    if (path === undefined) throw new Error(`there is no src/apps/${name}/main.ts to build`);
    return [`${name}/main`, path];
  });
  for (const name of names) {
    for (const asset of assets[name] ?? []) {
      writeWhole(join(dist, name, basename(asset)), readFileSync(join(apps, name, asset)));
    }
  }
  await bundle(Object.fromEntries(entryPoints));
};

const generated = join(backend, 'src', 'generated', 'prisma');
const schemaFolder = join(backend, 'prisma', 'schema');

const fingerprintOf = (files: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
};

const schemaFingerprint = (): string =>
  fingerprintOf([
    join(backend, 'package.json'),
    ...readdirSync(schemaFolder).map((name) => join(schemaFolder, name)),
  ]);

/**
 * Makes the database client from the schema, offline: generating needs no engine. Skipped when
 * the schema is the one that it was made from.
 */
export const generateClient = async (): Promise<boolean> => {
  const note = join(dirname(generated), 'fingerprint');
  const fingerprint = schemaFingerprint();
  const known = existsSync(note) ? readFileSync(note, 'utf8') : '';
  if (known === fingerprint && existsSync(join(generated, 'client.ts'))) return false;
  const cli = join(backend, '..', 'node_modules', 'prisma', 'build', 'index.js');
  // Any program will do for the engine: generating only looks whether it is there.
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
  };
  rmSync(note, { force: true });
  await runOrThrow(process.execPath, [cli, 'generate'], { cwd: backend, env });
  writeFileSync(note, fingerprint);
  return true;
};

const apiClient = join(backend, 'client');

const sourceFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

/** Of all that the OpenAPI documents are made from. */
const apiFingerprint = (): string =>
  fingerprintOf([
    join(backend, 'package.json'),
    ...sourceFiles(join(backend, 'dev', 'openapi')),
    ...sourceFiles(join(backend, 'src')).filter((file) => !file.startsWith(dirname(generated))),
  ]);

/**
 * Writes the OpenAPI documents for `@digital-gold/client`, without a server. Skipped when no source
 * has changed since.
 */
const generateDocuments = async (): Promise<boolean> => {
  const folder = join(apiClient, 'src', 'generated');
  const note = join(folder, 'fingerprint');
  const fingerprint = apiFingerprint();
  if (existsSync(note) && readFileSync(note, 'utf8') === fingerprint) return false;
  rmSync(note, { force: true });
  // Bundled, which loads several times faster than file after file.
  await bundle({ openapi: join(backend, 'dev', 'openapi', 'main.ts') });
  await runOrThrow(process.execPath, [join(dist, 'openapi.js'), folder], { cwd: backend });
  writeFileSync(note, fingerprint);
  return true;
};

if (process.argv[1] === import.meta.filename) {
  const [command] = process.argv.slice(2);
  await generateClient();
  if (command === 'generate') await generateDocuments();
  else await buildApps();
}
