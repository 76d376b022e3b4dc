import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { DeployCi, Deployment, DeployRun } from './deploy.types.ts';

/** The pause in ms between requests. The admin API allows 60 requests a minute from an address. */
const pauseMs = 3000;
/** The number of newest runs that are searched, since the target may be deployed more than once. */
const searchedRuns = 50;

const isOver = (run: DeployRun | undefined): run is DeployRun => run?.status === 'completed';

const describeProgress = (started: Deployment, run: DeployRun | undefined): string =>
  run === undefined
    ? `deployment ${started.correlationId}: its run is not listed yet`
    : `run ${run.id}: ${run.status}${run.conclusion === null ? '' : `, ${run.conclusion}`}`;

/**
 * Waits until the run of a deployment has ended. The run is found by the correlation id in its name.
 * Requests are retried while the CI system does not respond. Prints progress to standard error.
 * @throws CliError timedOut if the run has not ended in time
 */
export const waitForRun = async (
  deps: Pick<CliDeps, 'now' | 'sleep' | 'stderr' | 'signal'>,
  ci: Pick<DeployCi, 'runs'>,
  started: Deployment,
  timeoutMs: number,
): Promise<DeployRun> => {
  const deadline = deps.now().getTime() + timeoutMs;
  let printed = '';
  const print = (text: string): void => {
    if (text !== printed) deps.stderr(`${text}\n`);
    printed = text;
  };
  for (;;) {
    const found = await findRun(ci, started, print);
    if (found !== 'unreachable') print(describeProgress(started, found));
    if (found !== 'unreachable' && isOver(found)) return found;
    const remainingMs = deadline - deps.now().getTime();
    if (remainingMs <= 0) throw tooLate(started, timeoutMs);
    await deps.sleep(Math.min(pauseMs, remainingMs), deps.signal);
  }
};

const findRun = async (
  ci: Pick<DeployCi, 'runs'>,
  { target, correlationId }: Deployment,
  print: (text: string) => void,
): Promise<DeployRun | undefined | 'unreachable'> => {
  try {
    const { items } = await ci.runs(target, searchedRuns);
    return items.find((run) => run.correlationId === correlationId);
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.unreachable) throw error;
    print(`${error.message}; retrying`);
    return 'unreachable';
  }
};

const tooLate = ({ correlationId, run }: Deployment, timeoutMs: number): CliError =>
  new CliError(
    `deployment ${correlationId} did not end within ${Math.round(timeoutMs / 1000)} s`,
    exitCodes.timedOut,
    `It continues without goldctl${run === null ? '' : `: ${run.url}`}. "goldctl deploy runs" shows it.`,
  );
