import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { runLocally } from '../clients/backend-command.ts';
import { componentSelector, createKubeClient, type KubeClient } from '../clients/kube.ts';
import type { Context, KubeContext } from '../contexts/context.ts';

const program = 'dist/migrate/main.js';

/** The time limit in ms of a job. The cluster may have to place a pod and pull the image. */
const timeoutMs = 5 * 60_000;
const pauseMs = 1000;

/** Creates the error of the program. The hint names the variable that only the migration job has. */
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

/** Runs the program as a copy of the release's migration job, which has the owner's secrets. */
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
 * Runs the migration program to its end as the owner of the schema. For a local stack and in a pod, it
 * is a child process. For a release, it is a job in the cluster.
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
