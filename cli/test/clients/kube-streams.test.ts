import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli-error.ts';
import { createKubeClient, type KubeClient } from '../../src/clients/kube.ts';
import { startFakeKubernetes, type FakeKubernetes } from '../support/fake-kubernetes.ts';

let cluster: FakeKubernetes;
let interruption: AbortController;

beforeEach(async () => {
  cluster = await startFakeKubernetes();
  interruption = new AbortController();
});

afterEach(() => cluster.close());

const connect = (
  context = 'test',
  env: Record<string, string> = cluster.env,
): Promise<KubeClient> =>
  createKubeClient(
    { env, signal: interruption.signal },
    { context, namespace: undefined, inCluster: false },
  );

describe('a command in a pod', () => {
  it('gets its input and tells its exit code and both outputs', async () => {
    cluster.onExec(({ command, stdin, container }) => ({
      exitCode: 3,
      stdout: `${command.join(' ')} got ${stdin ?? 'nothing'}`,
      stderr: `in ${container ?? 'the default container'}`,
    }));
    const client = await connect();
    const result = await client.execInPod({
      pod: 'gold-admin-a',
      container: 'admin',
      command: ['node', 'main.js', '--email', 'a b&c=d'],
      stdin: 'a pass phrase ₹',
    });
    expect(result).toEqual({
      exitCode: 3,
      stdout: 'node main.js --email a b&c=d got a pass phrase ₹',
      stderr: 'in admin',
    });
  });

  it('succeeds without input', async () => {
    cluster.onExec(({ stdin }) => ({ exitCode: 0, stdout: String(stdin) }));
    const client = await connect();
    const result = await client.execInPod({ pod: 'gold-admin-a', command: ['true'] });
    expect(result).toEqual({ exitCode: 0, stdout: 'undefined', stderr: '' });
  });

  it('is not said to have failed when the connection is cut: nobody knows', async () => {
    cluster.onExec(() => ({ exitCode: 0, stdout: 'half', isCut: true }));
    const client = await connect();
    await expect(client.execInPod({ pod: 'gold-admin-a', command: ['x'] })).rejects.toMatchObject({
      exitCode: exitCodes.unreachable,
      hint: 'It is not known whether the command took effect. Check before you repeat it.',
    });
  });

  it('is not left waiting for the end of its input by an old cluster', async () => {
    cluster.onExec(() => ({ exitCode: 0, protocol: 'v4.channel.k8s.io' }));
    const client = await connect();
    const call = client.execInPod({ pod: 'gold-admin-a', command: ['x'], stdin: 'secret' });
    await expect(call).rejects.toMatchObject({ exitCode: exitCodes.failed });
  });

  it('is refused with its reason', async () => {
    cluster.state.forbidden.add('create pods/exec');
    const client = await connect();
    const forbidden = client.execInPod({ pod: 'gold-admin-a', command: ['x'] });
    await expect(forbidden).rejects.toMatchObject({ exitCode: exitCodes.denied, status: 403 });
    cluster.state.forbidden.clear();
    const missing = client.execInPod({ pod: 'gold-none', command: ['x'] });
    await expect(missing).rejects.toMatchObject({ exitCode: exitCodes.failed, status: 404 });
  });
});

describe('a forwarded port', () => {
  let target: Server;

  beforeEach(async () => {
    target = createServer((request, response) => {
      const body = request.url === '/big' ? 'x'.repeat(300_000) : `you asked ${request.url}`;
      response.end(body);
    });
    await new Promise<void>((resolve) => target.listen({ host: '127.0.0.1', port: 0 }, resolve));
    const { port } = target.address() as AddressInfo; // it listens on a port
    cluster.mapPort('gold-admin-a', 4000, port);
  });

  afterEach(() => {
    target.closeAllConnections();
    target.close();
  });

  it('carries requests one after another and side by side', async () => {
    const client = await connect();
    const forward = await client.portForward('gold-admin-a', 4000);
    const ask = async (path: string): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${forward.port}${path}`);
      return answer.text();
    };
    try {
      expect(await ask('/one')).toBe('you asked /one');
      const answers = await Promise.all(['/two', '/big', '/three'].map(ask));
      expect(answers.map((text) => text.length)).toEqual([14, 300_000, 16]);
    } finally {
      await forward.close();
    }
    await expect(ask('/late')).rejects.toThrow('fetch failed');
  });

  it('says that it may not be opened before anybody connects', async () => {
    cluster.state.forbidden.add('create pods/portforward');
    const client = await connect();
    await expect(client.portForward('gold-admin-a', 4000)).rejects.toMatchObject({
      exitCode: exitCodes.denied,
      message: 'cannot reach port 4000 of pod gold-admin-a: the API server answered 403',
    });
  });

  it('cuts a connection to a port on which the pod does not listen', async () => {
    const client = await connect();
    const forward = await client.portForward('gold-admin-a', 4999);
    const answer = fetch(`http://127.0.0.1:${forward.port}/`);
    await expect(answer).rejects.toThrow('fetch failed');
    await forward.close();
  });
});
