import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildGoldctl, thirdPartyFile } from './build.ts';

const repository = join(import.meta.dirname, '..');

/** To move on: try each executable's exec, port-forward and client certificate again. */
const bunVersion = '1.4.5';

const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'] as const;
type Target = (typeof targets)[number];

const hostTarget = (): Target => {
  const found = targets.find((target) => target === `${process.platform}-${process.arch}`);
  if (found !== undefined) return found;
  throw new Error(`there is no bun for ${process.platform}-${process.arch}`);
};

/** Brings bun from npm, once: too large for everybody's installation. */
const bringBun = (): string => {
  const name = `@oven/bun-${hostTarget().replace('arm64', 'aarch64')}`;
  const folder = join(repository, '.tools', `bun-${bunVersion}`);
  const bun = join(folder, 'node_modules', name, 'bin', 'bun');
  if (existsSync(bun)) return bun;
  mkdirSync(folder, { recursive: true });
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  execFileSync('npm', ['install', ...options, `${name}@${bunVersion}`], { stdio: 'inherit' });
  return bun;
};

/**
 * Makes programs that need no Node from the bundle, one for each system. Returns their paths. The
 * runtimes of other systems come from npm, by bun itself.
 */
export const makeExecutables = async (options: {
  readonly version: string;
  readonly destination: string;
  readonly wanted?: readonly Target[];
}): Promise<string[]> => {
  const { version, destination, wanted = targets } = options;
  const bun = bringBun();
  const folder = mkdtempSync(join(tmpdir(), 'goldctl-executable-'));
  try {
    await buildGoldctl({ outdir: folder, version });
    mkdirSync(destination, { recursive: true });
    const licences = join(destination, `goldctl-${version}-${thirdPartyFile}`);
    copyFileSync(join(folder, thirdPartyFile), licences);
    return wanted.map((target) => {
      const file = join(destination, `goldctl-${version}-${target}`);
      const args = ['build', '--compile', `--target=bun-${target}`, '--outfile', file];
      execFileSync(bun, [...args, join(folder, 'goldctl.js')], { cwd: folder, stdio: 'pipe' });
      return file;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Writes the checksums of everything in the folder of a release, as `sha256sum --check` reads. */
const writeChecksums = (folder: string): void => {
  const lines = readdirSync(folder)
    .filter((name) => name.startsWith('goldctl-') || name.endsWith('.tgz'))
    .toSorted()
    .map((name) => {
      const hash = createHash('sha256').update(readFileSync(join(folder, name)));
      return `${hash.digest('hex')}  ${name}\n`;
    });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
};

if (process.argv[1] === import.meta.filename) {
  const [version = '', destination = join(repository, '.dev', 'release')] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+(?:-[\dA-Za-z.-]+)?$/u.test(version)) {
    throw new Error('executables.ts VERSION [FOLDER], VERSION such as 1.2.3');
  }
  const made = await makeExecutables({ version, destination });
  writeChecksums(destination);
  process.stdout.write(`${made.join('\n')}\n`);
}
