import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakePod } from './support/fake-kubernetes-objects.ts';
import { startFakeKubernetes, type FakeKubernetes } from './support/fake-kubernetes.ts';
import { writeOperatorProgram } from './support/operator-answers.ts';
import { runGoldctlBundle } from './support/run-bundle.ts';
import { runInProcess } from './support/run-in-process.ts';
import { allocatedBuy } from './support/sample-answers.ts';
import { startSecureServer } from './support/secure-server.ts';
import { openStubApi } from './support/stub-api.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'goldctl-hostile-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const token = { GOLDCTL_TOKEN: 'a-token' };
const show = ['order', 'show', 'x'];

const goldctl = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runInProcess(args, { repository: home, env: { HOME: home, XDG_CONFIG_HOME: home, ...env } });

describe('an API that goes away half-way', () => {
  let server: Server;
  let url: string;

  const answering = async (answer: Parameters<typeof createServer>[1]): Promise<void> => {
    server = createServer(answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    url = `http://127.0.0.1:${port}`;
  };
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it.each([
    ['before its answer', 0],
    ['in the middle of its answer', 40],
  ])('%s is told with 5 or 1, and prints no half of it', async (_when, bytes) => {
    const text = JSON.stringify(allocatedBuy);
    await answering((request, response) => {
      if (bytes === 0) {
        request.socket.destroy();
        return;
      }
      const length = Buffer.byteLength(text);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
      response.write(text.slice(0, bytes), () => request.socket.destroy());
    });
    const shown = await goldctl(['--admin-url', url, ...show], token);
    expect(shown.stdout).toBe('');
    expect([1, 5]).toContain(shown.code);
    expect(shown.stderr).toMatch(/^goldctl: /u);
    expect(shown.stderr).not.toContain('a-token');
  });

  it('between two requests of one command changes nothing and is told', async () => {
    let count = 0;
    const review = { ...allocatedBuy, type: 'SELL', status: 'VERIFIED', manual_review_code: 'X' };
    await answering((request, response) => {
      count += 1;
      if (count > 1) {
        request.socket.destroy();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(review));
    });
    const args = ['--admin-url', url, 'order', 'resolve', 'x', 'RELEASE_SELL', '--yes'];
    const resolved = await goldctl(args, token);
    expect(resolved).toMatchObject({ code: 5, stdout: '' });
    expect(resolved.stderr).toContain('does not answer');
  });
});

it('says that a stored sign-in has expired, and sends nothing', async () => {
  const api = await openStubApi();
  const admin = { id: 'x', email: 'asha@example.test', role: 'ADMIN' };
  api.answer({ body: { accessToken: 'short-token', expiresIn: 60, admin } });
  const env = { HOME: home, XDG_CONFIG_HOME: home };
  const at = ['--admin-url', api.url];
  const login = [...at, '--email', admin.email, 'login'];
  expect(await runInProcess(login, { env, typed: ['a long secret'] })).toMatchObject({ code: 0 });
  const asked = api.requests.length;
  const later = new Date('2026-11-21T10:02:00Z');
  const refused = await runInProcess([...at, ...show], { env, now: later });
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('goldctl login');
  expect(api.requests).toHaveLength(asked);
  api.close();
});

const write = (name: string, contexts: readonly string[], current?: string): string => {
  const path = join(home, name);
  const config = {
    clusters: contexts.map((one) => ({
      name: one,
      cluster: { server: 'http://127.0.0.1:2', 'insecure-skip-tls-verify': true },
    })),
    users: contexts.map((one) => ({ name: one, user: { token: 't' } })),
    contexts: contexts.map((one) => ({ name: one, context: { cluster: one, user: one } })),
    ...(current !== undefined && { 'current-context': current }),
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
};

describe('a kubeconfig', () => {
  it('that is not there is told with what could be named instead', async () => {
    const none = await goldctl(['--context', 'prod', 'gates', 'show']);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('The kubeconfig has no contexts.');
  });

  it('of two files has three contexts, of which one is used and named', async () => {
    const files = [write('one', ['dev', 'staging'], 'staging'), write('two', ['prod', 'dev'])];
    const env = { KUBECONFIG: files.join(delimiter) };
    const listed = await goldctl(['context', 'list', '-o', 'json'], env);
    const { items } = JSON.parse(listed.stdout) as { items: { name: string }[] };
    expect(items.map(({ name }) => name)).toEqual(['local', 'pod', 'dev', 'staging', 'prod']);
    const used = await goldctl(['gates', 'show'], env);
    expect(used).toMatchObject({ code: 5, stdout: '' });
    expect(used.stderr).toContain('context staging (current in the kubeconfig)');
    const unknown = await goldctl(['--context', 'garden', 'gates', 'show'], env);
    expect(unknown.stderr).toContain('Available contexts: dev, staging, prod.');
  });

  it('that is none, or whose cluster does not answer, is told in a line', async () => {
    const path = join(home, 'broken');
    writeFileSync(path, '{{{ no: [yaml');
    const broken = await goldctl(['--context', 'x', 'gates', 'show'], { KUBECONFIG: path });
    expect(broken).toMatchObject({ code: 2, stdout: '' });
    expect(broken.stderr).toContain('is not a kubeconfig');
  });

  it('can tell a terminal nothing by the names of its contexts', async () => {
    const env = { KUBECONFIG: write('evil', ['\u001b[2Jprod', 'a\u0007b']) };
    for (const args of [
      ['context', 'list'],
      ['--context', 'x', 'gates', 'show'],
    ]) {
      const { stdout, stderr } = await goldctl(args, env);
      expect(stdout + stderr).not.toMatch(/(?!\n)\p{Cc}/u);
      expect(stdout + stderr).toContain('prod');
    }
  });
});

describe('a cluster', () => {
  let cluster: FakeKubernetes;
  beforeEach(async () => {
    cluster = await startFakeKubernetes();
  });
  afterEach(() => cluster.close());

  it('can tell a terminal nothing by the names and troubles of its pods', async () => {
    const evil = '\u001b[31mgone\u0007';
    cluster.put('pods', fakePod('worker', { suffix: 'b', waiting: evil }));
    const checked = await goldctl(['--context', 'test', 'check'], cluster.env);
    expect(checked.stdout).toContain('gone');
    expect(checked.stdout + checked.stderr).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('whose token has expired is told with 4 by every kind of command', async () => {
    for (const args of [['gates', 'show'], ['admin', 'list'], ['check'], ['config', 'explain']]) {
      const refused = await goldctl(['--context', 'wrong-token', ...args], cluster.env);
      expect(refused.code).toBe(4);
      expect(refused.stderr + refused.stdout).toContain('renew them in the kubeconfig');
    }
  });

  it('that goes away half-way leaves a gate as it is, and says so', async () => {
    cluster.state.beforePatch = () => {
      void cluster.goAway();
    };
    const before = cluster.state.objects.configmaps.get('gold-settings')?.data;
    cluster.state.forbidden.add('patch configmaps');
    const turned = await goldctl(['--context', 'test', 'gates', 'close', 'sell'], cluster.env);
    expect([4, 5]).toContain(turned.code);
    expect(cluster.state.objects.configmaps.get('gold-settings')?.data).toEqual(before);
  });
});

const inPod = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  writeOperatorProgram(home, {
    'admin list': { items: [] },
  });
  return goldctl(args, { SETTINGS_DIR: join(home, 'settings'), ...env });
};

describe('inside a pod', () => {
  it('the context is chosen by itself, and commands run beside the process', async () => {
    expect(await inPod(['admin', 'list'])).toMatchObject({ code: 0, stderr: '' });
    expect((await inPod(['database', 'status'])).stdout).toMatch(/^connections +20 of 97$/mu);
    expect((await inPod(['config', 'explain', 'LOG_LEVEL'], { LOG_LEVEL: 'warn' })).stdout).toMatch(
      /^value +warn$/mu,
    );
  });

  it('the admin API is the pod’s own', async () => {
    const api = await openStubApi();
    api.answer({ body: allocatedBuy });
    const { port } = new URL(api.url);
    const shown = await inPod(show, { ...token, PORT: port });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(api.requests).toEqual(['GET /v1/orders/x Bearer a-token']);
    api.close();
  });

  it('a gate is shown and not changed, and the schema’s owner is missed', async () => {
    const closed = await inPod(['--context', 'pod', 'gates', 'close', 'sell']);
    expect(closed).toMatchObject({ code: 4, stdout: '' });
    expect(closed.stderr).toContain('which a pod may not write');
    expect(await inPod(['gates', 'show'])).toMatchObject({ code: 0 });
    const none = await inPod(['gates', 'show'], { SETTINGS_DIR: '' });
    expect(none).toMatchObject({ code: 1, stdout: '' });
  });

  it('the check says outside of a cluster that it is in none', async () => {
    const checked = await inPod(['check']);
    expect(checked).toMatchObject({ code: 2, stdout: '' });
    expect(checked.stderr).toContain('not running in a pod with a service account');
  });
});

it('trusts the certificates of --ca-file, and no others', async () => {
  const server = await startSecureServer(200, allocatedBuy);
  try {
    const args = ['--admin-url', server.url, ...show];
    const distrusted = await runGoldctlBundle(args, { env: token });
    expect(distrusted).toMatchObject({ code: 5, stdout: '' });
    expect(distrusted.stderr).toContain('certificate');
    const file = ['--ca-file', server.certificate];
    const trusted = await runGoldctlBundle([...file, ...args], { env: token });
    expect(trusted).toMatchObject({ code: 0, stderr: '' });
    expect(trusted.stdout).toContain('ALLOCATED');
  } finally {
    await server.close();
  }
});
