import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedactor } from '../src/support-bundle/redact.ts';
import { startFakeKubernetes, type FakeKubernetes } from './support/fake-kubernetes.ts';
import { stackSecrets, startFakeStack, type FakeStack } from './support/fake-stack.ts';
import { readArchive } from './support/read-archive.ts';
import { runInProcess } from './support/run-in-process.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'goldctl-bundle-'));
  file = join(folder, 'bundle.tar.gz');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const people = ['+919876543210', 'asha.nair@example.test', 'ABCPE1234F', '4991 1866 5246'];
const base64 = (text: string): string => Buffer.from(text).toString('base64').replaceAll('=', '');

/** Returns the texts that occur in any file, in clear or in base64. */
const leaksIn = (files: ReadonlyMap<string, string>, texts: readonly string[]): string[] =>
  [...files].flatMap(([name, text]) =>
    texts.flatMap((secret) =>
      [
        secret,
        base64(secret),
        base64(`a${secret}`).slice(4, -4),
        base64(`ab${secret}`).slice(4, -4),
      ]
        .filter((form) => form.length > 5 && text.includes(form))
        .map((form) => `${name}: ${form}`),
    ),
  );

describe('of a local stack', () => {
  let stack: FakeStack;
  beforeEach(async () => {
    stack = await startFakeStack();
  });
  afterEach(() => stack.close());

  const bundle = (...more: readonly string[]) =>
    runInProcess(['support-bundle', '--file', file, ...more], {
      env: stack.env,
      repository: stack.repository,
    });

  const secrets = [...Object.values(stackSecrets), 'token-of-an-operator'];

  it('has logs, versions, checks and configuration, and nothing secret or personal', async () => {
    const logs = join(stack.home, 'logs');
    mkdirSync(logs);
    const lines = [...secrets, ...people].flatMap((secret) => [
      `{"msg":"${secret}"}`,
      `{"authorization":"Basic ${base64(`user:${secret}`)}"}`,
      `{"raw":"${Buffer.from(`x${secret}yz`).toString('base64')}"}`,
    ]);
    writeFileSync(join(logs, 'customer.log'), `{"msg":"listening"}\n${lines.join('\n')}\n`);
    const made = await bundle('-o', 'json');
    expect(made).toMatchObject({ code: 0 });
    const files = await readArchive(file);
    expect([...files.keys()].toSorted()).toEqual([
      'README.txt',
      'checks.json',
      'configuration/accounting.json',
      'configuration/admin.json',
      'configuration/customer.json',
      'configuration/worker.json',
      'logs/customer.log',
      'missing.txt',
      'versions.json',
    ]);
    expect(files.get('missing.txt')).toBe('Nothing.\n');
    expect(files.get('versions.json')).toContain('0.0.0-test');
    expect(files.get('checks.json')).toContain('"summary"');
    expect(files.get('configuration/customer.json')).toContain('"JWT_SECRET"');
    expect(files.get('logs/customer.log')).toContain('listening');
    expect(leaksIn(files, secrets)).toEqual([]);
    expect(people.filter((personal) => [...files.values()].join('\n').includes(personal))).toEqual(
      [],
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('has the last lines of a log alone', async () => {
    const logs = join(stack.home, 'logs');
    mkdirSync(logs);
    writeFileSync(join(logs, 'worker.log'), 'first\nsecond\nthird\n');
    await bundle('--lines', '2');
    expect((await readArchive(file)).get('logs/worker.log')).toBe('second\nthird\n');
  });

  it('is written where no process answers, and says what is missing', async () => {
    await stack.close();
    mkdirSync(stack.home, { recursive: true });
    const made = await bundle();
    expect(made).toMatchObject({ code: 0 });
    const files = await readArchive(file);
    expect(files.get('missing.txt')).toContain('configuration/admin.json: there is no local stack');
    expect(files.get('missing.txt')).toContain('logs: ');
    expect(files.has('versions.json')).toBe(true);
  });

  it('is not written over another file', async () => {
    writeFileSync(file, 'mine');
    const refused = await bundle();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('One that is there is not written over.');
  });
});

describe('of a release', () => {
  let cluster: FakeKubernetes;
  beforeEach(async () => {
    cluster = await startFakeKubernetes();
  });
  afterEach(() => cluster.close());

  const bundle = () =>
    runInProcess(['--context', 'test', 'support-bundle', '--file', file], {
      env: { ...cluster.env, GOLDCTL_TOKEN: 'a-token-of-goldctl' },
    });

  it('has the pods’ logs and the cluster, and asks no Secret for its content', async () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
    const address = 'postgresql://dgs_app:a-pass-phrase@db:5432/gold';
    const lines = [key, token, address, `Bearer a-token-of-goldctl`, ...people, 'well'];
    cluster.state.logs.set('gold-worker-a', `${lines.join('\n')}\n`);
    expect(await bundle()).toMatchObject({ code: 0 });
    const files = await readArchive(file);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'cluster/version.json',
        'cluster/deployments.json',
        'cluster/pods.json',
        'cluster/events.json',
        'logs/gold-worker-a.log',
        'configuration/worker.json',
      ]),
    );
    const all = [...files.values()].join('\n');
    for (const secret of [key, token, 'a-pass-phrase', 'a-token-of-goldctl', ...people]) {
      expect(all).not.toContain(secret);
    }
    expect(files.get('logs/gold-worker-a.log')).toContain('well');
    const asked = cluster.state.requests.filter((request) => request.includes('secrets/'));
    // The check looks whether they exist. The double refuses any request for more.
    expect(asked.every((request) => request.startsWith('get secrets/'))).toBe(true);
    expect(all).not.toContain('never-to-be-read');
  });

  it('is written where the cluster is away', async () => {
    await cluster.goAway();
    expect(await bundle()).toMatchObject({ code: 0 });
    const files = await readArchive(file);
    expect(files.get('missing.txt')).toMatch(/^cluster: .*does not answer/mu);
  });
});

it.each(['a', 'ab', 'abc'])('finds a secret in base64 wherever it begins: after %j', (before) => {
  const secret = 'correct horse battery staple';
  const redact = createRedactor([secret]);
  for (const after of ['', 'x', 'xy', 'xyz']) {
    const text = Buffer.from(`${before}${secret}${after}`).toString('base64');
    const rest = Buffer.from(redact(text).replaceAll('(a secret)', ''), 'base64').toString();
    expect(rest).not.toContain('horse batt');
  }
});
