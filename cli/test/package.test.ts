import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packGoldctl } from '../pack.ts';
import { startFakeKubernetes } from './support/fake-kubernetes.ts';

const version = '9.8.7-rc.1';

let folder: string;
let installed: string;

/** Installs the package as an operator does who can't reach a registry. */
const installWithoutNetwork = (tarball: string): string => {
  const prefix = join(folder, 'prefix');
  execFileSync('npm', ['install', '--global', '--prefix', prefix, tarball], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      npm_config_cache: join(folder, 'empty-cache'),
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_fetch_retries: '0',
    },
  });
  return join(prefix, 'bin');
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'goldctl-installed-'));
  installed = installWithoutNetwork(await packGoldctl(version, join(folder, 'release')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (name: string, args: readonly string[], env: Record<string, string> = {}): string =>
  execFileSync(process.execPath, [join(installed, name), ...args], {
    cwd: folder,
    env: { HOME: folder, ...env },
    encoding: 'utf8',
  });

it('is installed from one file without the network, with both names, at the release’s version', () => {
  expect(run('goldctl', ['--version'])).toBe(`${version}\n`);
  expect(run('kubectl-goldctl', ['--version'])).toBe(`${version}\n`);
  const home = join(realpathSync(join(installed, 'goldctl')), '..', '..');
  expect(existsSync(join(home, 'node_modules'))).toBe(false);
  const licences = readFileSync(join(home, 'dist', 'THIRD-PARTY.md'), 'utf8');
  expect(licences).toMatch(/## commander .*\n\n[\s\S]*MIT License/u);
  expect(licences).toContain('## @kubernetes/client-node');
});

it('reaches a cluster, and has the pages that its hints name', async () => {
  const cluster = await startFakeKubernetes();
  const { status, stdout, stderr } = await new Promise<{
    status: number | null;
    stdout: string;
    stderr: string;
  }>((resolve) => {
    void import('node:child_process').then(({ execFile }) =>
      execFile(
        process.execPath,
        [join(installed, 'kubectl-goldctl'), '--context', 'test', 'gates', 'show'],
        { env: { HOME: folder, ...cluster.env } },
        (error, stdout, stderr) =>
          resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
      ),
    );
  });
  await cluster.close();
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('DIGITAL_SELL_ENABLED');
  expect(run('goldctl', ['help', 'checks', 'price-feed'])).toContain('not older than 30 s');
  expect(run('goldctl', ['help', 'runbook', 'redis-down'])).toContain('REDIS');
});
