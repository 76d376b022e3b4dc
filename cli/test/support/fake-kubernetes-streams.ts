import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { refusalOf, type FakeState } from './fake-kubernetes-answers.ts';
import { acceptWebSocket, type ServerSocket } from './web-socket-server.ts';

export interface FakeExec {
  readonly pod: string;
  readonly container: string | undefined;
  readonly command: readonly string[];
  /** Everything up to its close, or undefined when it was not requested. */
  readonly stdin: string | undefined;
}

interface FakeExecResult {
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Speaks a protocol before standard input could be closed. */
  readonly protocol?: 'v4.channel.k8s.io';
  /** Ends the connection before the command has ended. */
  readonly isCut?: boolean;
}

export type ExecHandler = (exec: FakeExec) => FakeExecResult;

const closing = 255;

const refuse = (socket: Duplex, status: number): void => {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};

const statusOf = (exitCode: number): unknown =>
  exitCode === 0
    ? { metadata: {}, status: 'Success' }
    : {
        metadata: {},
        status: 'Failure',
        message: `command terminated with non-zero exit code: exit code ${exitCode}`,
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
      };

const numbered = (stream: number, body: Buffer): Buffer => Buffer.concat([Buffer.of(stream), body]);

const finish = (socket: ServerSocket, result: FakeExecResult): void => {
  socket.send(numbered(1, Buffer.from(result.stdout ?? '')));
  socket.send(numbered(2, Buffer.from(result.stderr ?? '')));
  if (result.isCut === true) {
    socket.cut();
    return;
  }
  // It behaves like the real cluster: it says that a stream is over before it reports how the
  // command ended.
  socket.send(numbered(closing, Buffer.of(1)));
  socket.send(numbered(3, Buffer.from(JSON.stringify(statusOf(result.exitCode)))));
  socket.close();
};

const podOf = (url: URL): string => /\/pods\/([^/]+)\//u.exec(url.pathname)?.[1] ?? '';

/** Runs the handler when the input has been closed. */
export const serveExec = (
  state: FakeState,
  request: IncomingMessage,
  raw: Duplex,
  handler: () => ExecHandler,
): void => {
  const url = new URL(request.url ?? '/', 'http://api');
  const refusal = refusalOf(state, request, 'create pods/exec');
  const pod = podOf(url);
  if (refusal !== undefined) return refuse(raw, refusal.status);
  if (!state.objects.pods.has(pod)) return refuse(raw, 404);
  const base = {
    pod,
    container: url.searchParams.get('container') ?? undefined,
    command: url.searchParams.getAll('command'),
  };
  const hasInput = url.searchParams.get('stdin') === 'true';
  const { protocol = 'v5.channel.k8s.io' } = handler()({ ...base, stdin: undefined });
  const socket = acceptWebSocket(request, raw, protocol);
  if (!hasInput) return finish(socket, handler()({ ...base, stdin: undefined }));
  const input: Buffer[] = [];
  socket.onMessage((bytes) => {
    const stream = bytes.readUInt8(0);
    if (stream === 0) input.push(bytes.subarray(1));
    // A program that reads a line ends by itself if the input can't be closed.
    const readsLine = protocol === 'v4.channel.k8s.io' && base.command[0] === 'sh';
    if (stream === closing || (readsLine && bytes.includes(0x0a))) {
      finish(socket, handler()({ ...base, stdin: Buffer.concat(input).toString('utf8') }));
    }
  });
};

const portBytes = (port: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(port);
  return bytes;
};

/** Carries bytes to the local port that stands for the pod's. */
export const servePortForward = (
  state: FakeState,
  request: IncomingMessage,
  raw: Duplex,
  localPortOf: (key: string) => number | undefined,
): void => {
  const url = new URL(request.url ?? '/', 'http://api');
  const refusal = refusalOf(state, request, 'create pods/portforward');
  if (refusal !== undefined) return refuse(raw, refusal.status);
  const port = Number(url.searchParams.get('ports'));
  const localPort = localPortOf(`${podOf(url)}:${port}`);
  const socket = acceptWebSocket(request, raw, 'v4.channel.k8s.io');
  for (const stream of [0, 1]) socket.send(numbered(stream, portBytes(port)));
  if (localPort === undefined) {
    socket.send(numbered(1, Buffer.from(`dial tcp4 127.0.0.1:${port}: connection refused`)));
    return;
  }
  const target = connect({ host: '127.0.0.1', port: localPort });
  target.on('data', (bytes: Buffer) => socket.send(numbered(0, bytes)));
  target.on('error', () => socket.cut());
  target.on('close', () => socket.close());
  socket.onMessage((bytes) => {
    if (bytes.readUInt8(0) === 0) target.write(bytes.subarray(1));
  });
  socket.onClose(() => target.destroy());
};
