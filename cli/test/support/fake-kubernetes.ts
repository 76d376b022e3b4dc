import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { answerRequest, type FakeState, type Resource } from './fake-kubernetes-answers.ts';
import { healthyRelease, type FakeObject } from './fake-kubernetes-objects.ts';
import { operatorAnswers } from './operator-answers.ts';
import { serveExec, servePortForward, type ExecHandler } from './fake-kubernetes-streams.ts';

/** A small Kubernetes API server: the parts that goldctl uses, with the real server's rules. */
export interface FakeKubernetes {
  readonly state: FakeState;
  /** For deps.env: a kubeconfig with the contexts `test`, and `wrong-token`. */
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  put(resource: Resource, object: FakeObject): void;
  remove(resource: Resource, name: string): void;
  /** Sets the handler of commands that run in pods. */
  onExec(handler: ExecHandler): void;
  /** Maps a pod's port to a port of this machine. */
  mapPort(pod: string, port: number, localPort: number): void;
  /** Stops answering. The kubeconfig stays. */
  goAway(): Promise<void>;
  close(): Promise<void>;
}

const token = 'token-of-the-test';

const kubeconfig = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [
      { name: 'operator', user: { token } },
      { name: 'wrong-token', user: { token: 'wrong' } },
    ],
    contexts: [
      { name: 'test', context: { cluster: 'fake', user: 'operator', namespace: 'gold' } },
      { name: 'wrong-token', context: { cluster: 'fake', user: 'wrong-token', namespace: 'gold' } },
    ],
  });

const byName = (objects: readonly FakeObject[]): Map<string, FakeObject> =>
  new Map(objects.map((object) => [object.metadata.name, object]));

const freshState = (): FakeState => {
  const { deployments, pods, configmaps, secrets, networkpolicies } = healthyRelease();
  return {
    token,
    objects: {
      deployments: byName(deployments),
      pods: byName(pods),
      configmaps: byName(configmaps),
      secrets: byName(secrets),
      events: new Map(),
      jobs: new Map(),
      ingresses: new Map(),
      networkpolicies: byName(networkpolicies),
    },
    forbidden: new Set(),
    requests: [],
    writes: [],
    beforePatch: undefined,
    onWake: undefined,
    onCreate: undefined,
    logs: new Map(),
    version: 'v1.32.1',
    changes: 100,
  };
};

/** Answers as a well service does. Nothing is reached that a policy forbids. */
export const answerAsWell: ExecHandler = ({ command }) => {
  if (command[1] === '-e') return { exitCode: 0, stdout: '{"open":false}\n' };
  const answer = operatorAnswers[command.slice(2).join(' ')];
  return { exitCode: 0, stdout: answer === undefined ? '' : `${JSON.stringify(answer)}\n` };
};

/** Starts a fake that knows a healthy release in namespace `gold`. Close it. */
export const startFakeKubernetes = async (): Promise<FakeKubernetes> => {
  const state = freshState();
  const ports = new Map<string, number>();
  let exec = answerAsWell;
  const server = createServer((request, response) => void answerRequest(state, request, response));
  server.keepAliveTimeout = 75_000;
  const sockets = new Set<Duplex>();
  // Those that were upgraded are not the server's own any more.
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const url = new URL(request.url ?? '/', 'http://api');
    if (url.pathname.endsWith('/exec')) serveExec(state, request, socket, () => exec);
    else servePortForward(state, request, socket, (key) => ports.get(key));
  });
  const goAway = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const url = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'fake-kubernetes-'));
  writeFileSync(join(folder, 'config'), kubeconfig(url), { mode: 0o600 });
  return {
    state,
    url,
    env: { KUBECONFIG: join(folder, 'config') },
    put: (resource, object) => void state.objects[resource].set(object.metadata.name, object),
    remove: (resource, name) => void state.objects[resource].delete(name),
    onExec: (handler) => {
      exec = handler;
    },
    mapPort: (pod, podPort, localPort) => void ports.set(`${pod}:${podPort}`, localPort),
    goAway,
    close: async () => {
      await goAway();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
