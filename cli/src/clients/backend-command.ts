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

/** A program made of the bundle is no Node: there the one on the PATH runs the service's command. */
const nodeProgram = 'bun' in process.versions ? 'node' : process.execPath;

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');

/**
 * Runs Node with `args` to its end.
 * @throws CliError when it can't be started or is killed.
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
    // It may end without reading. What it says then is on its standard error.
    child.stdin.on('error', () => {});
    child.stdin.end(request.stdin);
  });

interface BackendCommand<T> {
  /** Such as `['admin', 'list']`. Never a secret: others see the arguments of a process. */
  readonly args: readonly string[];
  /** A password, say, or empty unless given. */
  readonly stdin?: string;
  /** In a pod, a minute unless given. */
  readonly timeoutMs?: number;
  /** The form of the printed document. */
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
  const said = failure.safeParse(lastJson(stderr)).data?.error;
  if (said !== undefined) {
    return new CliError(`${said.message} (${said.code})`, exitCodeOf(said.code));
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
const given = (env: CliDeps['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

interface LocalRun {
  readonly args: readonly string[];
  /** The operator command unless given. */
  readonly program?: string;
  readonly stdin?: string;
}

/**
 * Runs a program of the service as a child process: with the environment of the local stack, or of
 * the pod around goldctl.
 */
export const runLocally = (
  deps: CliDeps,
  context: LocalContext | PodContext,
  { args, program = main, stdin = '' }: LocalRun,
): Promise<ChildResult> => {
  const env = context.kind === 'local' ? readStackEnvironment(context) : given(deps.env);
  return runChild(deps, {
    args: [program, ...args],
    cwd: join(context.repository, 'backend'),
    env,
    stdin,
  });
};

/**
 * Runs a command in a pod. A cluster before Kubernetes 1.30 can't end its standard input: there the
 * command is given the first line by a program that ends after it.
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
  // In the image's own folder, with the environment that the admin API has.
  return execWithInput(client, {
    pod: pod.name,
    command: ['node', main, ...args],
    ...(stdin !== undefined && { stdin }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
};

/**
 * Runs the backend's operator command where it can reach the database: as a child process next to
 * the local stack or inside the pod around goldctl, or in a ready admin pod of a cluster. Returns
 * the document that it prints.
 * @throws CliError with the command's own error, and unreachable if there is no stack or pod.
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
