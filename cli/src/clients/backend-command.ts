import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes, type ExitCode } from '../cli-error.ts';
import type { Context, KubeContext, LocalContext, PodContext } from '../contexts/context.ts';
import { readStackEnvironment } from '../contexts/local-stack.ts';
import { createKubeClient, findReadyPod } from './kube.ts';
import type { ExecRequest, KubeClient } from './kube.types.ts';

interface ChildRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

interface ChildResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The Node that runs the backend's programs. The packaged goldctl is not a Node itself, so it uses
 * the Node on the PATH.
 */
const nodeProgram = 'bun' in process.versions ? 'node' : process.execPath;

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');

/**
 * Runs Node with `args`, and waits until it exits.
 * @throws CliError if Node can't be started or is killed.
 */
const runChild = (deps: CliDeps, request: ChildRequest): Promise<ChildResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(nodeProgram, [...request.args], {
      cwd: request.cwd,
      env: { ...request.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      signal: deps.signal,
    });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.once('error', (error) => reject(new CliError(error.message, exitCodes.failed)));
    child.once('close', (code, signal) => {
      if (code === null) {
        reject(new CliError(`the command was ended by ${signal}`, exitCodes.failed));
        return;
      }
      resolve({ exitCode: code, stdout: textOf(stdout), stderr: textOf(stderr) });
    });
    // The command may exit before it reads its input, and then this write fails. The command's own
    // error is on its standard error.
    child.stdin.on('error', () => {});
    child.stdin.end(request.stdin);
  });

interface BackendCommand<T> {
  /**
   * The command's arguments, such as `['admin', 'list']`. They must not contain secrets, because
   * other users can see the arguments of a process.
   */
  readonly args: readonly string[];
  /** The text for the standard input, such as a password. The default is empty. */
  readonly stdin?: string;
  /** The time limit of a command in a pod. The default is a minute. A child process has no limit. */
  readonly timeoutMs?: number;
  /** The schema of the JSON document that the command prints. */
  readonly answer: z.ZodType<T>;
}

const failure = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
});

const lastJson = (text: string): unknown => {
  try {
    return JSON.parse(text.trim().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
};

const exitCodeOf = (code: string): ExitCode =>
  code === 'SERVICE_UNAVAILABLE' ? exitCodes.unreachable : exitCodes.failed;

const errorOf = ({ stderr, exitCode }: ChildResult): CliError => {
  const reported = failure.safeParse(lastJson(stderr)).data?.error;
  if (reported !== undefined) {
    return new CliError(`${reported.message} (${reported.code})`, exitCodeOf(reported.code));
  }
  const lines = stderr.trim().split('\n').slice(-5).join('\n');
  return new CliError(
    `the operator command failed (${exitCode}): ${lines}`,
    exitCodes.failed,
    'Check that goldctl and the backend are the same version.',
  );
};

const main = 'dist/operator/main.js';

/** Returns the variables that have a value. */
const setVariablesOf = (env: CliDeps['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

interface LocalRun {
  readonly args: readonly string[];
  /** The program's path in the backend's folder. The default is the operator command. */
  readonly program?: string;
  readonly stdin?: string;
}

/**
 * Runs a program of the backend as a child process. The process gets the environment of the local
 * stack, or of the pod that goldctl runs in.
 */
export const runLocally = (
  deps: CliDeps,
  context: LocalContext | PodContext,
  { args, program = main, stdin = '' }: LocalRun,
): Promise<ChildResult> => {
  const env = context.kind === 'local' ? readStackEnvironment(context) : setVariablesOf(deps.env);
  return runChild(deps, {
    args: [program, ...args],
    cwd: join(context.repository, 'backend'),
    env,
    stdin,
  });
};

/**
 * Runs a command in a pod. A cluster before Kubernetes 1.30 can't close a command's standard input. In
 * such a cluster, an input of one line is piped through `head -n 1`. `head` exits after the line, which
 * closes the command's input.
 */
const execWithInput = async (client: KubeClient, request: ExecRequest): Promise<ChildResult> => {
  const { stdin, command } = request;
  try {
    return await client.execInPod(request);
  } catch (error) {
    const isOneLine = stdin !== undefined && !stdin.includes('\n');
    if (!isOneLine || !(error instanceof CliError && 'keepsInputOpen' in error)) throw error;
    return client.execInPod({
      ...request,
      command: ['sh', '-c', 'head -n 1 | "$@"', 'goldctl', ...command],
      stdin: `${stdin}\n`,
      endsByItself: true,
    });
  }
};

const runInPod = async (
  deps: CliDeps,
  context: KubeContext,
  { args, stdin, timeoutMs }: BackendCommand<unknown>,
): Promise<ChildResult> => {
  const client = await createKubeClient(deps, context);
  const pod = await findReadyPod(client, 'admin');
  // The command runs in the image's working directory, with the admin API's environment.
  return execWithInput(client, {
    pod: pod.name,
    command: ['node', main, ...args],
    ...(stdin !== undefined && { stdin }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
};

/**
 * Runs the backend's operator command in a place from which it can reach the database. Returns the
 * document that the command prints. For a cluster, the command runs in a ready admin pod. For the
 * local stack, and in a pod that goldctl runs in itself, it is a child process of goldctl.
 * @throws CliError with the error that the command printed, or `unreachable` if there is no stack or
 *   no ready pod.
 */
export const runBackendCommand = async <T>(
  deps: CliDeps,
  context: Context,
  command: BackendCommand<T>,
): Promise<T> => {
  const result =
    context.kind === 'kube'
      ? await runInPod(deps, context, command)
      : await runLocally(deps, context, command);
  if (result.exitCode !== 0) throw errorOf(result);
  const parsed = command.answer.safeParse(lastJson(result.stdout));
  if (parsed.success) return parsed.data;
  throw new CliError(
    'the operator command printed an unexpected result',
    exitCodes.failed,
    'goldctl and the backend may be different versions.',
  );
};
