import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { runLocally } from '../clients/backend-command.ts';
import { componentSelector, createKubeClient, type KubeClient } from '../clients/kube.ts';
import type { Context, KubeContext } from '../contexts/context.ts';

const program = 'dist/migrate/main.js';

/** A pod has to be placed, and the image may have to be pulled. */
const timeoutMs = 5 * 60_000;
const pauseMs = 1000;

/** The migrations need the role that owns the schema, which no process of the service has. */
const failed = (log: string): CliError =>
  new CliError(
    `the migration program failed: ${log.trim().split('\n').slice(-3).join('\n')}`,
    exitCodes.failed,
    'It needs MIGRATE_DATABASE_URL, which the migration job has and an admin pod has not.',
  );

const endOf = async (deps: CliDeps, client: KubeClient, name: string): Promise<boolean> => {
  const deadline = deps.now().getTime() + timeoutMs;
  for (;;) {
    const { state } = await client.findJob(name);
    if (state !== 'running') return state === 'succeeded';
    if (deps.now().getTime() >= deadline) {
      throw new CliError(
        `job ${name} did not end in time`,
        exitCodes.timedOut,
        `"kubectl describe job ${name}" says why.`,
      );
    }
    await deps.sleep(pauseMs, deps.signal);
  }
};

const logOf = async (client: KubeClient, job: string): Promise<string> => {
  const [pod] = await client.listPods(`job-name=${job}`);
  return pod === undefined ? '' : client.readLog(pod.name, { lines: 20 });
};

/** Runs it as a job like the release's own, which has the secrets of the schema's owner. */
const runAsJob = async (
  deps: CliDeps,
  context: KubeContext,
  args: readonly string[],
): Promise<void> => {
  const client = await createKubeClient(deps, context);
  const name = await client.startJobLike(componentSelector('migrate'), ['node', program, ...args]);
  deps.stderr(`job ${name} in namespace ${client.namespace}\n`);
  try {
    if (!(await endOf(deps, client, name))) throw failed(await logOf(client, name));
  } finally {
    await client.removeJob(name);
  }
};

/**
 * Runs the migration program to its end, as the schema's owner: as a child process next to the
 * local stack, or as a job of a release.
 * @throws CliError with the program's output
 */
export const runMigrateProgram = async (
  deps: CliDeps,
  context: Context,
  args: readonly string[],
): Promise<void> => {
  if (context.kind === 'kube') return runAsJob(deps, context, args);
  const { exitCode, stderr } = await runLocally(deps, context, { program, args });
  if (exitCode !== 0) throw failed(stderr);
};
