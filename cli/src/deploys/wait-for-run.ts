import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { DeployCi, Deployment, DeployRun } from './deploy.types.ts';

/** The admin API takes 60 requests a minute from one address. */
const pauseMs = 3000;
/** The newest runs that are searched. Others may deploy the same target meanwhile. */
const runsLookedAt = 50;

const isOver = (run: DeployRun | undefined): run is DeployRun => run?.status === 'completed';

const whereItIs = (started: Deployment, run: DeployRun | undefined): string =>
  run === undefined
    ? `deployment ${started.correlationId}: its run is not listed yet`
    : `run ${run.id}: ${run.status}${run.conclusion === null ? '' : `, ${run.conclusion}`}`;

/**
 * Waits until the run that a trigger started has ended. Finds it by the correlation id in its name.
 * Retries while the CI system does not answer. Prints progress to standard error.
 * @throws CliError timedOut when it has not ended by the deadline
 */
export const waitForRun = async (
  deps: Pick<CliDeps, 'now' | 'sleep' | 'stderr' | 'signal'>,
  ci: Pick<DeployCi, 'runs'>,
  started: Deployment,
  timeoutMs: number,
): Promise<DeployRun> => {
  const deadline = deps.now().getTime() + timeoutMs;
  let told = '';
  const tell = (text: string): void => {
    if (text !== told) deps.stderr(`${text}\n`);
    told = text;
  };
  for (;;) {
    const found = await findRun(ci, started, tell);
    if (found !== 'away') tell(whereItIs(started, found));
    if (found !== 'away' && isOver(found)) return found;
    const leftMs = deadline - deps.now().getTime();
    if (leftMs <= 0) throw tooLate(started, timeoutMs);
    await deps.sleep(Math.min(pauseMs, leftMs), deps.signal);
  }
};

const findRun = async (
  ci: Pick<DeployCi, 'runs'>,
  { target, correlationId }: Deployment,
  tell: (text: string) => void,
): Promise<DeployRun | undefined | 'away'> => {
  try {
    const { items } = await ci.runs(target, runsLookedAt);
    return items.find((run) => run.correlationId === correlationId);
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCodes.unreachable) throw error;
    tell(`${error.message}; retrying`);
    return 'away';
  }
};

const tooLate = ({ correlationId, run }: Deployment, timeoutMs: number): CliError =>
  new CliError(
    `deployment ${correlationId} did not end within ${Math.round(timeoutMs / 1000)} s`,
    exitCodes.timedOut,
    `It continues without goldctl${run === null ? '' : `: ${run.url}`}. "goldctl deploy runs" shows it.`,
  );
