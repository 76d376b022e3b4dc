import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildGoldctl } from './build.ts';

const cli = import.meta.dirname;
const repository = join(cli, '..');

interface Manifest {
  readonly license?: string;
  readonly engines: { readonly node: string };
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // npm's own form

/** Installed under both names, since kubectl takes a program called `kubectl-…` as its plugin. */
const names = ['goldctl', 'kubectl-goldctl'];

const start = "#!/usr/bin/env node\nawait import('../dist/goldctl.js');\n";

/** Lays out the package of a release in a folder. */
const layOut = async (folder: string, version: string): Promise<void> => {
  const { license, engines } = manifestIn(cli);
  await buildGoldctl({ outdir: join(folder, 'dist'), version });
  const manifest = {
    name: '@digital-gold/goldctl',
    version,
    description: 'Operates the digital gold service from a terminal or a script.',
    license,
    type: 'module',
    bin: Object.fromEntries(names.map((name) => [name, 'bin/goldctl.mjs'])),
    files: ['bin', 'dist'],
    engines,
  };
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  writeFileSync(join(folder, 'bin', 'goldctl.mjs'), start, { mode: 0o755 });
  copyFileSync(join(cli, 'docs', 'goldctl.md'), join(folder, 'README.md'));
  copyFileSync(join(repository, 'LICENSE'), join(folder, 'LICENSE'));
};

/**
 * Packs goldctl as one file that npm installs without the network: every package that it uses is
 * inside. Returns the file's path.
 */
export const packGoldctl = async (version: string, destination: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'goldctl-package-'));
  try {
    await layOut(folder, version);
    mkdirSync(destination, { recursive: true });
    const args = ['pack', '--json', '--offline', '--pack-destination', destination];
    const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
    const [packed] = JSON.parse(printed) as readonly { filename: string }[]; // npm's own form
    if (packed === undefined) throw new Error('npm packed nothing');
    return join(destination, packed.filename);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

if (process.argv[1] === import.meta.filename) {
  const [version = '', destination = join(repository, '.dev', 'release')] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+(?:-[\dA-Za-z.-]+)?$/u.test(version)) {
    throw new Error('pack.ts VERSION [FOLDER], VERSION such as 1.2.3');
  }
  process.stdout.write(`${await packGoldctl(version, destination)}\n`);
}
