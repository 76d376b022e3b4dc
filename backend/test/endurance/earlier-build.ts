import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, runOrThrow } from '../../dev/stack/run-command.ts';

const repository = join(import.meta.dirname, '..', '..', '..');

/**
 * The oldest build from which this one can be reached by an upgrade, since it has every migration
 * that the baseline replaces (ADR 0113). It is used as long as no release is tagged.
 */
const oldestToUpgrade = 'd3fa515c';

/** Runs a command of git. Returns undefined if it fails. */
const git = async (...args: readonly string[]): Promise<string | undefined> => {
  const { code, output } = await runCommand('git', [...args], { cwd: repository });
  return code === 0 ? output.trim() : undefined;
};

/**
 * Finds the commit to upgrade from. It is the given commit, else the last release before this
 * commit, else the oldest possible build.
 * @throws Error with instructions if the clone has no such commit.
 */
const findCommit = async (given: string | undefined): Promise<string> => {
  const lastRelease = await git('describe', '--tags', '--abbrev=0', 'HEAD');
  const wanted = given ?? lastRelease ?? oldestToUpgrade;
  const commit = await git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`);
  if (commit !== undefined) return commit;
  const isShallow = (await git('rev-parse', '--is-shallow-repository')) === 'true';
  const why = isShallow ? 'it is shallow: git fetch --unshallow --tags brings the rest' : 'none';
  throw new Error(`this clone has no commit ${wanted} (${why})`);
};

/** A build of an earlier commit. */
interface EarlierBuild {
  readonly commit: string;
  /** The path of its folder `backend`. */
  readonly backend: string;
  /** The version of its queue library. */
  readonly queueVersion: string;
}

const queueVersionOf = (backend: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(backend, 'package.json'), 'utf8'));
  return /"graphile-worker":"([^"]+)"/u.exec(JSON.stringify(manifest))?.[1] ?? 'unknown';
};

/** Exports the commit below `.dev`, installs its own packages and builds it, once. */
export const buildEarlier = async (
  given: string | undefined,
  log: (line: string) => void,
): Promise<EarlierBuild> => {
  const commit = await findCommit(given);
  const folder = join(repository, '.dev', `build-of-${commit.slice(0, 12)}`);
  const backend = join(folder, 'backend');
  const done = join(folder, 'built');
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const archive = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: repository,
      maxBuffer: 1024 ** 3,
    });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    const lock = 'package-lock.json';
    const isAlike = readFileSync(join(folder, lock)).equals(readFileSync(join(repository, lock)));
    log(`building ${commit.slice(0, 12)}${isAlike ? '' : ', with packages of its own'}`);
    if (isAlike) symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
    else await runOrThrow('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
    await runOrThrow('npm', ['run', '--silent', 'build', '-w', '@digital-gold/backend'], {
      cwd: folder,
    });
    writeFileSync(done, `${commit}\n`);
  }
  return { commit, backend, queueVersion: queueVersionOf(backend) };
};

export const queueVersionHere = (): string => queueVersionOf(join(repository, 'backend'));
