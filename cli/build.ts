import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { readPages } from './src/help/read-pages.ts';
import { listThirdParties } from './third-parties.ts';

const cli = import.meta.dirname;

const manifest = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')) as {
  version: string; // the file's own form
};

/** The name of the file with the licences of the packages in the bundle. */
export const thirdPartyFile = 'THIRD-PARTY.md';

const isPart = (path: string): boolean => path.includes('/parts/');

/** Some packages are CommonJS and load others by `require`. */
const requireForPackages =
  "import{createRequire as goldctlRequire}from'node:module';" +
  'const require=goldctlRequire(import.meta.url);';

/**
 * Leaves out what commander only needs for subcommands that are separate programs. Loading it takes
 * a tenth of the time of `goldctl --help`.
 */
const withoutPrograms: Plugin = {
  name: 'without-programs',
  setup: (bundle) => {
    bundle.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/node_modules/commander/')
        ? { path: 'child_process', namespace: 'left-out' }
        : undefined,
    );
    bundle.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({
      contents: 'export default {};',
    }));
  },
};

/** Puts the text of the pages in the place of the module that reads them. */
const withPages: Plugin = {
  name: 'with-pages',
  setup: (bundle) => {
    bundle.onLoad({ filter: /src\/help\/pages\.ts$/ }, () => ({
      contents: `export const pages = ${JSON.stringify(readPages())};`,
    }));
  },
};

interface BuildOptions {
  /** The folder of the bundle, `cli/dist` unless given. */
  readonly outdir?: string;
  /** The version of the release. That of the source tree unless given. */
  readonly version?: string;
}

/**
 * Bundles goldctl with every package that it uses: `goldctl.js` and the parts that only some
 * commands load. Each file is written aside and renamed, the entry last, so a goldctl that starts
 * meanwhile never reads half of it. The licences of the packages are beside it, wherever it goes.
 */
export const buildGoldctl = async (options: BuildOptions = {}): Promise<void> => {
  const { outdir = join(cli, 'dist'), version = manifest.version } = options;
  const { outputFiles, metafile } = await build({
    entryPoints: { goldctl: join(cli, 'src', 'main.ts') },
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    chunkNames: 'parts/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    banner: { js: requireForPackages },
    legalComments: 'none',
    // A workspace of TypeScript source.
    alias: { '@digital-gold/client': join(cli, '..', 'backend', 'client', 'src', 'index.ts') },
    plugins: [withoutPrograms, withPages],
    define: { GOLDCTL_VERSION: JSON.stringify(version) },
    write: false,
    metafile: true,
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
  const licences = listThirdParties(Object.keys(metafile.inputs), cli);
  writeFileSync(join(outdir, thirdPartyFile), licences);
};

if (process.argv[1] === import.meta.filename) {
  rmSync(join(cli, 'dist'), { recursive: true, force: true });
  const version = process.env['VERSION'] ?? '';
  await buildGoldctl(version === '' ? {} : { version });
}
