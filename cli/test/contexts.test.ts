import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeKubernetes, type FakeKubernetes } from './support/fake-kubernetes.ts';
import { runInProcess } from './support/run-in-process.ts';

let cluster: FakeKubernetes;
let home: string;

beforeEach(async () => {
  cluster = await startFakeKubernetes();
  home = mkdtempSync(join(tmpdir(), 'goldctl-home-'));
});
afterEach(async () => {
  await cluster.close();
  rmSync(home, { recursive: true, force: true });
});

/** Runs without a local stack: the repository is an empty folder. */
const goldctl = (args: readonly string[], env: Record<string, string> = {}) =>
  runInProcess(args, {
    env: { ...cluster.env, HOME: home, XDG_CONFIG_HOME: home, ...env },
    repository: home,
  });

/** Names a current context in the kubeconfig, as YAML that kubectl writes. */
const setCurrent = (name: string): void => {
  const path = cluster.env['KUBECONFIG'] ?? '';
  const { 'current-context': _old, ...config } = JSON.parse(readFileSync(path, 'utf8')) as Record<
    string,
    unknown
  >;
  writeFileSync(path, JSON.stringify({ ...config, 'current-context': name }));
};

describe('without --context', () => {
  it('the current context of the kubeconfig is used where no local stack is there', async () => {
    setCurrent('test');
    const shown = await goldctl(['gates', 'show']);
    expect(shown).toMatchObject({
      code: 0,
      stderr: 'context test (current in the kubeconfig)\n',
    });
    expect(shown.stdout).toContain('DIGITAL_SELL_ENABLED');
  });

  it('a local stack comes first, and nothing at all is told so', async () => {
    setCurrent('');
    const none = await goldctl(['gates', 'show']);
    expect(none).toMatchObject({ code: 5, stdout: '' });
    expect(none.stderr).toContain('there is no local stack');
    setCurrent('test');
    writeFileSync(join(home, 'endpoints.json'), '{}');
    const local = await goldctl(['gates', 'show'], { STACK_HOME: home });
    expect(local.stderr).toBe(`goldctl: ${home}/endpoints.json is not valid\n`);
  });

  it('a saved default is used before both, until it is forgotten', async () => {
    setCurrent('wrong-token');
    const used = await goldctl(['context', 'use', 'test', '-n', 'gold']);
    expect(used).toEqual({
      code: 0,
      stderr: '',
      stdout: 'commands use context test, namespace gold\n',
    });
    expect((await goldctl(['gates', 'show'])).code).toBe(0);
    const listed = await goldctl(['context', 'list', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      items: [
        { name: 'local', isDefault: false },
        { name: 'pod', isDefault: false },
        { name: 'test', namespace: 'gold', isDefault: true },
        { name: 'wrong-token', namespace: 'gold', isDefault: false },
      ],
    });
    expect((await goldctl(['context', 'forget'])).code).toBe(0);
    expect((await goldctl(['gates', 'show'])).code).toBe(4);
  });

  it('a context that is not there is not saved', async () => {
    const refused = await goldctl(['context', 'use', 'garden']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Available contexts: local, pod, test, wrong-token.');
  });
});

it('takes -n for the namespace', async () => {
  const elsewhere = await goldctl(['--context', 'test', '-n', 'elsewhere', 'gates', 'show']);
  expect(elsewhere.stderr).toContain('in namespace elsewhere');
});

describe('plain http', () => {
  const list = ['order', 'show', 'x'];
  const env = { GOLDCTL_TOKEN: 'a-token' };

  it('is refused to another machine, before a token or a password is sent', async () => {
    const refused = await goldctl(['--admin-url', 'http://admin.example.test', ...list], env);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('plain http to another machine');
    expect(refused.stderr).toContain('--insecure');
  });

  it('is used on this machine, with --insecure, and between pods', async () => {
    for (const args of [
      ['--admin-url', 'http://127.0.0.1:1'],
      ['--admin-url', 'http://admin.invalid:1', '--insecure'],
      ['--admin-url', 'http://admin.invalid:1', '--in-cluster'],
    ]) {
      const silent = await goldctl([...args, ...list], env);
      expect(silent).toMatchObject({ code: 5, stdout: '' });
      expect(silent.stderr).toContain('does not answer');
    }
  });
});

it('says which file of certificates it cannot use', async () => {
  const path = join(home, 'ca.pem');
  const show = ['--context', 'test', '--ca-file', path, 'gates', 'show'];
  expect((await goldctl(show)).stderr).toContain(`${path} can't be read`);
  writeFileSync(path, 'garden');
  expect(await goldctl(show)).toMatchObject({ code: 2, stdout: '' });
});
