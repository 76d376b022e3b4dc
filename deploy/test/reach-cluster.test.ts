import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const scripts = join(import.meta.dirname, '..', 'scripts');

const call = (program: string, args: readonly string[], env: Readonly<Record<string, string>>) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { PATH: process.env['PATH'] ?? '', ...env } };
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'reach-cluster-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

const cluster = {
  CLUSTER_SERVER: 'https://cluster.example.test:6443',
  CLUSTER_AUDIENCE: 'digital-gold-prod',
};

const kubeconfigShape = z.object({
  clusters: z.tuple([
    z.object({
      name: z.string(),
      cluster: z.object({
        server: z.string(),
        'certificate-authority-data': z.string().optional(),
      }),
    }),
  ]),
  users: z.tuple([
    z.object({
      name: z.string(),
      user: z.object({
        exec: z.object({ command: z.string(), args: z.tuple([z.string(), z.string()]) }).loose(),
      }),
    }),
  ]),
});

const write = async (env: Readonly<Record<string, string>>) => {
  const file = join(newFolder(), 'kubeconfig');
  const { code, stderr } = await call(join(scripts, 'write-kubeconfig.sh'), [file], env);
  const read = () => kubeconfigShape.parse(parse(readFileSync(file, 'utf8')));
  return { code, stderr, file, read };
};

it('writes a kubeconfig that holds no secret, for its owner alone', async () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  const { code, read, file } = await write({ ...cluster, CLUSTER_CA: pem });
  expect(code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { clusters, users } = read();
  const authority = clusters[0].cluster['certificate-authority-data'] ?? '';
  expect(Buffer.from(authority, 'base64').toString().trim()).toBe(pem);
  expect(users[0].user.exec).toMatchObject({
    command: 'node',
    args: [expect.anything(), 'digital-gold-prod'],
  });
});

it('trusts what the system trusts where no authority is given', async () => {
  const { read } = await write(cluster);
  expect(read().clusters[0].cluster).toEqual({ server: cluster.CLUSTER_SERVER });
});

it.each([
  [{ CLUSTER_AUDIENCE: 'a' }, 'no variable CLUSTER_SERVER'],
  [{ CLUSTER_SERVER: 'https://a.test' }, 'no variable CLUSTER_AUDIENCE'],
  [{ ...cluster, CLUSTER_SERVER: 'http://a.test' }, 'must be an https address'],
  [{ ...cluster, CLUSTER_AUDIENCE: "a' b" }, 'a character too many'],
  [{ ...cluster, CLUSTER_SERVER: 'https://a.test\nusers: []' }, 'a character too many'],
  [{ ...cluster, CLUSTER_CA: 'no base64!' }, 'neither PEM nor base64'],
])('refuses %j', async (env, words) => {
  const { code, stderr } = await write(env);
  expect(code).toBe(1);
  expect(stderr).toContain(words);
});

/** Answers as GitHub does with a token that is good for five minutes. */
const startGitHub = async (status = 200) => {
  const asked: { url: string; authorization: string | undefined }[] = [];
  const claims = Buffer.from(JSON.stringify({ exp: 1_800_000_300 })).toString('base64url');
  const server = createServer(({ url = '', headers }, response) => {
    asked.push({ url, authorization: headers.authorization });
    response.writeHead(status).end(JSON.stringify({ value: `e30.${claims}.sig` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'job-right',
  };
  return { asked, env };
};

const signIn = (env: Readonly<Record<string, string>>) =>
  call('node', [join(scripts, 'cluster-token.mjs'), 'digital-gold-prod'], env);

it("hands the cluster the job's own token, until shortly before it lapses", async () => {
  const { asked, env } = await startGitHub();
  const { code, stdout } = await signIn(env);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'ExecCredential',
    status: {
      token: expect.stringMatching(/^e30\./u),
      expirationTimestamp: new Date(1_800_000_270_000).toISOString(),
    },
  });
  expect(asked).toEqual([
    { url: '/token?api-version=2.0&audience=digital-gold-prod', authorization: 'bearer job-right' },
  ]);
});

it('says in one line why there is no token', async () => {
  const { env } = await startGitHub(403);
  expect(await signIn(env)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'no token for the cluster: GitHub answered 403\n',
  });
  expect((await signIn({})).stderr).toContain('no right "id-token: write"');
});
