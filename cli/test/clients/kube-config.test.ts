import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli-error.ts';
import { loadKubeConfig } from '../../src/clients/kube-config.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kube-config-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, server: string, namespace?: string): string => {
  const path = join(folder, `${name}.yaml`);
  const context = { cluster: 'one', user: 'me', ...(namespace !== undefined && { namespace }) };
  const config = {
    clusters: [{ name: 'one', cluster: { server } }],
    users: [{ name: 'me', user: { token: 't' } }],
    contexts: [{ name, context }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
};

const outside = (context: string, namespace?: string) => ({ context, namespace, inCluster: false });
const inside = { context: undefined, namespace: undefined, inCluster: true };

it('reads a context with its namespace, which the option overrides', () => {
  const env = { KUBECONFIG: write('staging', 'https://one.example', 'gold') };
  expect(loadKubeConfig(env, outside('staging'))).toMatchObject({
    namespace: 'gold',
    description: 'staging',
    server: 'https://one.example',
  });
  expect(loadKubeConfig(env, outside('staging', 'other')).namespace).toBe('other');
});

it('falls back to the namespace that kubectl takes', () => {
  const env = { KUBECONFIG: write('staging', 'https://one.example') };
  expect(loadKubeConfig(env, outside('staging')).namespace).toBe('default');
});

it('reads several files; of equal names the first counts and a missing file is none', () => {
  const first = write('staging', 'https://one.example');
  const second = write('production', 'https://two.example');
  const env = { KUBECONFIG: [first, join(folder, 'none'), second].join(delimiter) };
  expect(loadKubeConfig(env, outside('production')).server).toBe('https://one.example');
});

it('reads the home folder where no file is named', () => {
  const path = write('staging', 'https://one.example');
  mkdirSync(join(folder, '.kube'));
  writeFileSync(join(folder, '.kube', 'config'), 'clusters: []\ncontexts: []\nusers: []\n');
  expect(() => loadKubeConfig({ HOME: folder }, outside('staging'))).toThrow(
    `there is no context "staging" in ${join(folder, '.kube', 'config')}`,
  );
  expect(loadKubeConfig({ HOME: folder, KUBECONFIG: path }, outside('staging')).server).toBe(
    'https://one.example',
  );
});

it('names the contexts that there are', () => {
  const env = { KUBECONFIG: write('staging', 'https://one.example') };
  expect(() => loadKubeConfig(env, outside('stagign'))).toThrow(
    expect.objectContaining({ exitCode: exitCodes.usage, hint: 'Available contexts: staging.' }),
  );
});

it('refuses a file that is none', () => {
  const path = join(folder, 'broken');
  writeFileSync(path, 'clusters: [{}]\n');
  expect(() => loadKubeConfig({ KUBECONFIG: path }, outside('x'))).toThrow(
    expect.objectContaining({ exitCode: exitCodes.usage }),
  );
});

it('takes the service account of the pod', async () => {
  writeFileSync(join(folder, 'token'), 'token-of-the-pod');
  writeFileSync(join(folder, 'namespace'), 'gold\n');
  writeFileSync(join(folder, 'ca.crt'), 'certificate');
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const loaded = loadKubeConfig(env, inside, folder);
  expect(loaded).toMatchObject({ namespace: 'gold', server: 'https://[fd00::1]:443' });
  const options: { headers?: Record<string, string> } = {};
  await loaded.config.applyToHTTPSOptions(options);
  expect(options.headers).toEqual({ Authorization: 'Bearer token-of-the-pod' });
});

it('says that it is in no pod', () => {
  expect(() => loadKubeConfig({}, inside, folder)).toThrow(
    'not running in a pod with a service account',
  );
});
