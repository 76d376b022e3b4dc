import { z } from 'zod';
import { CliError, exitCodes } from '../cli-error.ts';
import type { KubeStream, OpenStream } from './kube-streams.ts';
import type { ExecRequest, ExecResult, KubeClient } from './kube.types.ts';

const defaultTimeoutMs = 60_000;
/**
 * The maximum output of a command. A backend command prints a few hundred lines, so a larger output is
 * a mistake that must not fill the memory.
 */
const maxOutputBytes = 16 * 1024 * 1024;

/** The numbers of the streams in the API server's protocol. */
const streams = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;
/** The first version of the protocol that can close standard input separately. */
const closingProtocol = 'v5.channel.k8s.io';

const statusView = z.object({
  status: z.string().optional(),
  message: z.string().optional(),
  reason: z.string().optional(),
  details: z
    .object({
      causes: z
        .array(z.object({ reason: z.string().optional(), message: z.string().optional() }))
        .optional(),
    })
    .optional(),
});

/** Reads the command's exit code from the cluster's status message. */
const exitCodeOf = (purpose: string, bytes: Buffer): number => {
  const status = statusView.parse(JSON.parse(bytes.toString('utf8')));
  if (status.status === 'Success') return 0;
  const causes = status.details?.causes ?? [];
  const code = causes.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status.reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw new CliError(
    `cannot ${purpose}: ${status.message ?? status.reason ?? 'no reason given'}`,
    exitCodes.failed,
  );
};

const createCollector = () => {
  const parts: Buffer[] = [];
  let size = 0;
  return {
    add: (bytes: Buffer): boolean => {
      size += bytes.length;
      if (size <= maxOutputBytes) parts.push(bytes);
      return size <= maxOutputBytes;
    },
    text: (): string => Buffer.concat(parts).toString('utf8'),
  };
};

/** Thrown for a cluster before Kubernetes 1.30, which can't close the standard input of a command. */
class OpenInputError extends CliError {
  readonly keepsInputOpen = true;
}

const sendInput = (stream: KubeStream, purpose: string, request: ExecRequest): void => {
  const { stdin = '', endsByItself = false } = request;
  const mayClose = stream.protocol === closingProtocol;
  if (!mayClose && !endsByItself) {
    throw new OpenInputError(
      `cannot ${purpose}: the cluster can't close a command's standard input`,
      exitCodes.failed,
    );
  }
  stream.send(streams.stdin, Buffer.from(stdin, 'utf8'));
  if (mayClose) stream.send(streams.close, Buffer.of(streams.stdin));
};

const pathOf = (namespace: string, request: ExecRequest): string => {
  const query = new URLSearchParams({ stdout: 'true', stderr: 'true' });
  if (request.stdin !== undefined) query.set('stdin', 'true');
  if (request.container !== undefined) query.set('container', request.container);
  for (const word of request.command) query.append('command', word);
  const pod = encodeURIComponent(request.pod);
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${pod}/exec?${query.toString()}`;
};

/** Creates the function that runs a command in a pod, and returns its output when it has ended. */
export const createExec = (options: {
  readonly open: OpenStream;
  readonly namespace: string;
  readonly signal: AbortSignal;
}): KubeClient['execInPod'] => {
  const { open, namespace } = options;
  return async (request): Promise<ExecResult> => {
    const purpose = `run a command in pod ${request.pod}`;
    const stdout = createCollector();
    const stderr = createCollector();
    let status: Buffer | undefined;
    let isTooMuch = false;
    const stream = await open(purpose, pathOf(namespace, request), (number, bytes) => {
      if (number === streams.stdout) isTooMuch ||= !stdout.add(bytes);
      else if (number === streams.stderr) isTooMuch ||= !stderr.add(bytes);
      else if (number === streams.status) status = bytes;
    });
    try {
      if (request.stdin !== undefined) sendInput(stream, purpose, request);
      const limit = AbortSignal.timeout(request.timeoutMs ?? defaultTimeoutMs);
      await endOf(stream, AbortSignal.any([options.signal, limit]));
      options.signal.throwIfAborted();
      if (status === undefined && limit.aborted) throw tooLate(purpose);
    } finally {
      stream.close();
    }
    if (isTooMuch) throw new CliError(`cannot ${purpose}: it printed too much`, exitCodes.failed);
    if (status === undefined) throw lost(purpose);
    return {
      exitCode: exitCodeOf(purpose, status),
      stdout: stdout.text(),
      stderr: stderr.text(),
    };
  };
};

/** Waits until the connection ends or the signal is aborted. */
const endOf = (stream: KubeStream, signal: AbortSignal): Promise<void> => {
  const stop = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return Promise.race([stream.closed, stop]);
};

const notKnown = 'It is not known whether the command took effect. Check before you repeat it.';

const tooLate = (purpose: string): CliError =>
  new CliError(`cannot ${purpose}: it did not end in time`, exitCodes.timedOut, notKnown);

const lost = (purpose: string): CliError =>
  new CliError(
    `cannot ${purpose}: the connection ended before the command did`,
    exitCodes.unreachable,
    notKnown,
  );
