import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStubApi, type StubApi } from './support/stub-api.ts';
import { startFakeKubernetes, type FakeKubernetes } from './support/fake-kubernetes.ts';
import { fakeConfigMap, fakePod } from './support/fake-kubernetes-objects.ts';
import type { FakeExec } from './support/fake-kubernetes-streams.ts';
import { golden } from './support/golden.ts';
import { allocatedBuy, unevenBooks } from './support/sample-answers.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';

let cluster: FakeKubernetes;
let configHome: string;

beforeEach(async () => {
  cluster = await startFakeKubernetes();
  configHome = mkdtempSync(join(tmpdir(), 'goldctl-config-'));
});
afterEach(async () => {
  await cluster.close();
  rmSync(configHome, { recursive: true, force: true });
});

const goldctl = (args: readonly string[], options: RunOptions = {}) =>
  runInProcess(['--context', 'test', ...args], {
    ...options,
    env: { ...cluster.env, XDG_CONFIG_HOME: configHome, ...options.env },
  });

const settings = () => cluster.state.objects.configmaps.get('gold-settings')?.data;

describe('gates of a release', () => {
  it('are the values of its ConfigMap', async () => {
    const shown = await goldctl(['gates', 'show', '-o', 'json']);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toBe(golden('gates-cluster.json', shown.stdout));
  });

  it('close and open one key, and leave the others', async () => {
    const before = settings();
    const turned = await goldctl(['gates', 'close', 'sell', '--no-wait']);
    expect(turned).toMatchObject({ code: 0 });
    expect(settings()).toEqual({ ...before, DIGITAL_SELL_ENABLED: 'false' });
    expect((await goldctl(['gates', 'open', 'sell'])).code).toBe(2);
    expect(settings()).toEqual({ ...before, DIGITAL_SELL_ENABLED: 'false' });
    const open = ['gates', 'open', 'sell', '--yes', '--no-wait'];
    expect((await goldctl(open)).code).toBe(0);
    expect(settings()).toEqual(before);
  });

  it('read as closed where the value is missing, and as the service reads them', async () => {
    const values = { DIGITAL_SELL_ENABLED: 'TRUE', ACCOUNTING_AUTO_POSTING_ENABLED: 'True' };
    cluster.put('configmaps', fakeConfigMap('gold-settings', values, 'settings'));
    const { stdout } = await goldctl(['gates', 'show', '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: { gate: string; isOpen: boolean }[] };
    const open = items.filter(({ isOpen }) => isOpen).map(({ gate }) => gate);
    expect(open).toEqual(['sell']);
    expect((await goldctl(['gates', 'show'])).stdout).toContain('(missing)');
  });

  it('need the right to change them', async () => {
    cluster.state.forbidden.add('patch configmaps');
    expect(await goldctl(['gates', 'close', 'sell'])).toMatchObject({ code: 4, stdout: '' });
    await cluster.goAway();
    expect(await goldctl(['gates', 'close', 'sell'])).toMatchObject({ code: 5, stdout: '' });
  });
});

const asha = {
  id: '019a8c7e-0000-7000-8000-000000000001',
  email: 'asha@example.test',
  role: 'SUPER_ADMIN',
  active: true,
  createdAt: '2026-11-21T10:00:00.000Z',
  lastLoginAt: null,
};

const createAsha = ['admin', 'create', asha.email, '--role', 'SUPER_ADMIN'];

describe('operators of a release', () => {
  it('are made by a command in a ready admin pod, which reads the password', async () => {
    const run: FakeExec[] = [];
    cluster.put('pods', fakePod('admin', { suffix: 'b', waiting: 'CrashLoopBackOff' }));
    cluster.onExec((exec) => {
      run.push(exec);
      return { exitCode: 0, stdout: `${JSON.stringify(asha)}\n` };
    });
    const made = await goldctl(createAsha, { typed: ['a long secret', 'a long secret'] });
    expect(made).toMatchObject({ code: 0 });
    expect(made.stdout).toContain(asha.email);
    expect(run.at(-1)).toMatchObject({
      pod: 'gold-admin-a',
      command: [
        'node',
        'dist/operator/main.js',
        'admin',
        'create',
        '--email',
        asha.email,
        '--role',
        'SUPER_ADMIN',
      ],
      stdin: 'a long secret',
    });
    expect(JSON.stringify(run.map(({ command }) => command))).not.toContain('secret');
  });

  it('are made on a cluster that cannot close the input of a command', async () => {
    const run: FakeExec[] = [];
    cluster.onExec((exec) => {
      run.push(exec);
      const stdout = `${JSON.stringify(asha)}\n`;
      return { exitCode: 0, stdout, protocol: 'v4.channel.k8s.io' };
    });
    const made = await goldctl(createAsha, { typed: ['a long secret', 'a long secret'] });
    expect(made).toMatchObject({ code: 0 });
    expect(run.at(-1)).toMatchObject({
      command: [
        'sh',
        '-c',
        'head -n 1 | "$@"',
        'goldctl',
        'node',
        'dist/operator/main.js',
        'admin',
        'create',
        '--email',
        asha.email,
        '--role',
        'SUPER_ADMIN',
      ],
      stdin: 'a long secret\n',
    });
  });

  it.each([
    ['CONFLICT', 'An operator with this email already exists.', 1],
    ['SERVICE_UNAVAILABLE', 'The database does not respond.', 5],
  ])('are not made where the command says %s', async (code, message, exitCode) => {
    const stderr = `a warning of Node\n${JSON.stringify({ error: { code, message } })}\n`;
    cluster.onExec(() => ({ exitCode: 1, stderr }));
    const refused = await goldctl(createAsha, { typed: ['a long secret', 'a long secret'] });
    const said = `New password of ${asha.email}:\nRepeat the password:\n`;
    expect(refused).toEqual({
      code: exitCode,
      stdout: '',
      stderr: `${said}goldctl: ${message} (${code})\n`,
    });
  });

  it('are not listed by a backend that does not know how', async () => {
    cluster.onExec(() => ({ exitCode: 1, stderr: 'Cannot find module' }));
    const unknown = await goldctl(['admin', 'list']);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('Cannot find module');
    cluster.onExec(() => ({ exitCode: 0, stdout: '{"items": [1]}' }));
    const odd = await goldctl(['admin', 'list']);
    expect(odd.code).toBe(1);
    expect(odd.stderr).toContain('printed an unexpected result');
  });

  it('need a ready admin pod', async () => {
    cluster.remove('pods', 'gold-admin-a');
    const refused = await goldctl(['admin', 'list']);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('no admin pod is ready');
  });
});

describe('the admin API of a release', () => {
  let api: StubApi;

  beforeEach(async () => {
    api = await openStubApi();
    cluster.mapPort('gold-admin-a', 4000, Number(new URL(api.url).port));
  });
  afterEach(() => api.close());

  it('is reached through a tunnel to a ready pod', async () => {
    api.answer({ body: allocatedBuy });
    const shown = await goldctl(['order', 'show', 'x'], { env: { GOLDCTL_TOKEN: 'a-token' } });
    expect(shown).toEqual({ code: 0, stderr: '', stdout: golden('order-buy.txt', shown.stdout) });
    expect(api.requests).toEqual(['GET /v1/orders/x Bearer a-token']);
  });

  it('remembers a sign-in through the next tunnel, for its operator alone', async () => {
    const admin = { id: asha.id, email: asha.email, role: asha.role };
    api.answer({ body: { accessToken: 'kept-token', expiresIn: 28_800, admin } });
    const login = await goldctl(['--email', asha.email, 'login'], { typed: ['a long secret'] });
    expect(login).toMatchObject({ code: 0 });
    expect(login.stdout).toContain(`kube:test/gold (${cluster.url})`);
    expect(login.stdout).toContain('2026-11-21T18:00:00.000Z');
    api.answer({ body: unevenBooks });
    expect((await goldctl(['reconcile'])).code).toBe(3);
    expect(api.requests.at(-1)).toBe('GET /v1/reconciliation Bearer kept-token');
    // Another operator's sign-in is not used. The password is needed, and there is no prompt.
    expect((await goldctl(['--email', 'ravi@example.test', 'reconcile'])).code).toBe(2);
  });

  it('sends a stored sign-in to no other cluster, though its context has the same name', async () => {
    const admin = { id: asha.id, email: asha.email, role: asha.role };
    api.answer({ body: { accessToken: 'kept-token', expiresIn: 28_800, admin } });
    expect(
      await goldctl(['--email', asha.email, 'login'], { typed: ['a long secret'] }),
    ).toMatchObject({ code: 0 });
    const asked = api.requests.length;
    const other = await startFakeKubernetes();
    try {
      other.mapPort('gold-admin-a', 4000, Number(new URL(api.url).port));
      const refused = await goldctl(['reconcile'], { env: other.env });
      expect(refused).toMatchObject({ code: 4, stdout: '' });
      expect(refused.stderr).toContain(`not signed in at kube:test/gold (${other.url})`);
    } finally {
      await other.close();
    }
    expect(api.requests).toHaveLength(asked);
  });

  it('asks who signs in', async () => {
    expect((await goldctl(['login'])).code).toBe(2);
    expect((await goldctl(['reconcile'])).code).toBe(4);
    expect(api.requests).toEqual([]);
  });
});
