import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../backend/test/support/eventually.ts';
import { buildGoldctl, thirdPartyFile } from '../build.ts';
import { openStubApi, type StubApi } from './support/stub-api.ts';
import { startFakeKubernetes } from './support/fake-kubernetes.ts';
import { golden } from './support/golden.ts';
import {
  runGoldctlBundle,
  startGoldctl,
  startOnTerminal,
  type BundleRun,
} from './support/run-bundle.ts';
import { allocatedBuy, unevenBooks } from './support/sample-answers.ts';

let api: StubApi;

beforeAll(async () => {
  await buildGoldctl();
  api = await openStubApi();
});
afterAll(() => api.close());

const token = { GOLDCTL_TOKEN: 'a-token' };
const manifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'),
) as { version: string }; // the file's own form

describe('the exit code of the process', () => {
  it.each([
    ['the version', ['--version'], 0],
    ['help', ['--help'], 0],
    ['help of a command', ['gates', 'open', '--help'], 0],
    ['no command', [], 2],
    ['an unknown command', ['sing'], 2],
    ['an unknown option', ['gates', 'show', '--loud'], 2],
    ['a missing argument', ['order', 'show'], 2],
    ['one argument too many', ['whoami', 'really'], 2],
    ['a wrong choice', ['gates', 'close', 'garden'], 2],
    ['a password that nobody can be asked for', ['--email', 'a@b.c', 'login'], 2],
    ['nobody signed in', ['whoami'], 4],
  ])('%s', async (_name, args, code) => {
    const env = { XDG_CONFIG_HOME: '/nowhere' };
    const ran = await runGoldctlBundle(['--admin-url', api.url, ...args], { env });
    expect({ code: ran.code, said: ran.stderr !== '' }).toEqual({ code, said: code !== 0 });
    expect(ran.stdout === '').toBe(code !== 0);
  });

  it('is 0 for a result, 3 for findings, and 5 where nobody answers', async () => {
    const reconcile = ['--admin-url', api.url, 'reconcile'];
    api.answer({ body: allocatedBuy });
    const shown = await runGoldctlBundle(['--admin-url', api.url, 'order', 'show', 'x'], {
      env: token,
    });
    expect(shown).toEqual({ code: 0, stderr: '', stdout: golden('order-buy.txt', shown.stdout) });
    api.answer({ body: unevenBooks });
    expect((await runGoldctlBundle(reconcile, { env: token })).code).toBe(3);
    const nowhere = ['--admin-url', 'http://127.0.0.1:1', 'reconcile'];
    expect((await runGoldctlBundle(nowhere, { env: token })).code).toBe(5);
  });

  it('is 130 at Ctrl-C, soon, and whatever it waits for', async () => {
    api.answer('nothing');
    api.requests.length = 0;
    const run = startGoldctl(['--admin-url', api.url, 'reconcile'], token);
    await eventually(() => expect(api.requests).toHaveLength(1), { timeoutMs: 60_000 });
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(run.stdout()).toBe('');
  });

  it('is 143 at SIGTERM, as soon', async () => {
    api.answer('nothing');
    api.requests.length = 0;
    const run = startGoldctl(['--admin-url', api.url, 'reconcile'], token);
    await eventually(() => expect(api.requests).toHaveLength(1), { timeoutMs: 60_000 });
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(143);
    expect(run.stdout()).toBe('');
  });
});

describe('through a proxy of the environment', () => {
  it.each([
    [
      'the admin API',
      ['--admin-url', 'https://admin.example.test', 'reconcile'],
      'admin.example.test:443',
    ],
    ['a cluster', ['--context', 'far', 'gates', 'show'], 'cluster.example.test:6443'],
  ])('%s is reached', async (_name, args, wanted) => {
    const asked: string[] = [];
    const proxy = http.createServer();
    proxy.on('connect', (request: http.IncomingMessage, socket: Duplex) => {
      asked.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen({ host: '127.0.0.1', port: 0 }, resolve));
    const { port } = proxy.address() as AddressInfo; // it listens on a port
    const folder = mkdtempSync(join(tmpdir(), 'goldctl-proxy-'));
    writeFileSync(
      join(folder, 'config'),
      JSON.stringify({
        clusters: [{ name: 'far', cluster: { server: 'https://cluster.example.test:6443' } }],
        users: [{ name: 'me', user: { token: 't' } }],
        contexts: [{ name: 'far', context: { cluster: 'far', user: 'me' } }],
      }),
    );
    const env = {
      ...token,
      KUBECONFIG: join(folder, 'config'),
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
    };
    const ran = await runGoldctlBundle(args, { env });
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    // The oldest Node has no proxy for its own requests, and goldctl says so.
    const isTold = ran.stderr.includes('Node is too old to use the proxy');
    const isReached = !isTold || wanted.startsWith('cluster');
    expect(new Set(asked)).toEqual(new Set(isReached ? [wanted] : []));
  });
});

it('completes contexts and namespaces of the kubeconfig', async () => {
  const cluster = await startFakeKubernetes();
  const complete = async (...words: string[]) =>
    (await runGoldctlBundle(['complete', '--', ...words], { env: cluster.env })).stdout;
  expect(await complete('gates', 'show', '--context', '')).toMatch(/^test\t/mu);
  expect(await complete('gates', 'show', '-n', '')).toMatch(/^gold\t/mu);
  expect(await complete('gates', 'o')).toMatch(/^open\t/mu);
  await cluster.close();
});

it('has the licence of every package inside beside it', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'dist', thirdPartyFile), 'utf8');
  const sections = page.split(/^## (?=\S+ \d+\.\d+\.\d+ \()/mu).slice(1);
  expect(sections.length).toBeGreaterThan(40);
  expect(sections.find((one) => one.startsWith('commander '))).toContain('MIT License');
  const bare = sections.filter((one) => one.trim().split('\n').length === 1);
  // Their packages bring no text.
  const without = ['@bomb.sh/tab', 'stream-buffers'];
  expect(bare.map((one) => one.split(' ')[0])).toEqual(without);
});

it('says its version', async () => {
  expect(await runGoldctlBundle(['--version'])).toMatchObject({ stdout: `${manifest.version}\n` });
});

it('ends quietly when its reader has seen enough', async () => {
  const run = startGoldctl(['completion', 'bash']);
  run.child.stdout?.destroy();
  expect(await run.ended).toBe(0);
  expect(run.stderr()).toBe('');
});

const untilPrompted = (run: BundleRun) =>
  eventually(() => expect(run.stdout()).toContain('Password of asha@example.test:'), {
    timeoutMs: 60_000,
  });

describe('on a terminal', () => {
  const login = ['--admin-url', '', '--email', 'asha@example.test', 'login'];

  const startLogin = () => {
    const args = login.map((word) => (word === '' ? api.url : word));
    return startOnTerminal(args, { XDG_CONFIG_HOME: '/nowhere' });
  };

  it('a password is asked for and not shown', async () => {
    const body = { error: { code: 'INVALID_CREDENTIALS', message: 'These are not valid.' } };
    api.answer({ status: 401, body });
    const run = startLogin();
    await untilPrompted(run);
    run.child.stdin?.write('hunter2hunter2\r');
    expect(await run.ended).toBe(4);
    expect(run.stdout()).toContain('These are not valid.');
    expect(run.stdout()).not.toMatch(/hunter2|\*/u);
  });

  it('Ctrl-C at the question ends with 130', async () => {
    const run = startLogin();
    await untilPrompted(run);
    run.child.stdin?.write('\u0003');
    expect(await run.ended).toBe(130);
  });
});
