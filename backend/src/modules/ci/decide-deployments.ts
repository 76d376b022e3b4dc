import { deployTargets, type Ci, type CiRun, type DeployTarget } from '../../adapters/ci/port.ts';
import { addMs } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { currentRequestId } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import type { Auditor } from '../audit/index.ts';
import {
  listQuietTriggers,
  markTriggerQueried,
  storeTriggerOutcome,
  type QuietTrigger,
} from './deploy-trigger.store.ts';
import type { TriggerStatus } from './ci.types.ts';

interface DecideDeploymentsDeps {
  readonly ci: Ci | undefined;
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly random: Random;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Waits for the call itself, which takes at most a minute. */
const quietMs = 60_000;
/** A run shows seconds after its dispatch, minutes on a bad day. */
const notStartedAfterMs = 60 * 60_000;
/** Allows the clocks of the CI system and the database to differ. */
const skewMs = 5 * 60_000;
const batchSize = 100;
const runsPerPage = 100;
/** The CI system shows no more than 1,000 runs of a question. */
const lastPage = 10;

/** The newest runs of a target's workflow. */
interface RunHistory {
  readonly runs: readonly CiRun[];
  /** True when no older run could belong to the triggers in question. */
  readonly isComplete: boolean;
}

/** Reads the runs since a time, page by page; undefined while the CI system does not say. */
const readRunsSince = async (
  ci: Ci,
  target: DeployTarget,
  since: Date,
): Promise<RunHistory | undefined> => {
  const runs: CiRun[] = [];
  let isReadable = true;
  for (let page = 1; page <= lastPage; page += 1) {
    const listed = await ci.listRuns({ target, count: runsPerPage, page, since });
    if (listed.kind !== 'done') return undefined;
    const { runs: found, unread, hasMore } = listed.value;
    runs.push(...found);
    // The run that can't be read may be the one that was started.
    isReadable &&= unread === 0;
    const oldest = found.at(-1);
    if (!hasMore || (oldest !== undefined && oldest.createdAt < since)) {
      return { runs, isComplete: isReadable };
    }
  }
  return { runs, isComplete: false };
};

interface Decision {
  readonly status: TriggerStatus;
  readonly detail: string;
}

/** Decides a trigger by the runs; undefined while it may still show. */
const decisionOf = (
  trigger: QuietTrigger,
  { runs, isComplete }: RunHistory,
): Decision | undefined => {
  const run = runs.find(({ correlationId }) => correlationId === trigger.id);
  if (run !== undefined) return { status: 'DISPATCHED', detail: `run ${run.id}` };
  if (!isComplete || trigger.ageMs < notStartedAfterMs) return undefined;
  return { status: 'NOT_STARTED', detail: 'the CI system has no run of it' };
};

/** Records a decision, unless the trigger is no longer as it was read. */
const recordDecision = (
  { inTransaction, audit, random }: DecideDeploymentsDeps,
  { id, target, status: before }: QuietTrigger,
  { status, detail }: Decision,
): Promise<void> =>
  inTransaction(async (tx) => {
    if (!(await storeTriggerOutcome(tx, id, { before, status, detail }))) return;
    await audit.record(tx, {
      action: 'devops.deploy.outcome',
      actor: { api: 'system' },
      target: { type: 'deploy_target', id: target },
      before: { correlationId: id, status: before },
      after: { correlationId: id, status, detail },
      requestId: currentRequestId() ?? random.uuid(),
    });
  });

/** Decides triggers of one target; those that can't be decided yet go to the back. */
const decideTriggers = async (
  deps: DecideDeploymentsDeps & { readonly ci: Ci },
  triggers: readonly [QuietTrigger, ...QuietTrigger[]],
  signal: AbortSignal,
): Promise<void> => {
  const { ci, db, logger } = deps;
  const oldest = Math.min(...triggers.map(({ at }) => at.getTime()));
  const history = await readRunsSince(ci, triggers[0].target, addMs(new Date(oldest), -skewMs));
  await sweepRows({
    rows: triggers,
    signal,
    handle: async (trigger) => {
      const decision = history && decisionOf(trigger, history);
      if (decision === undefined) return false;
      await recordDecision(deps, trigger, decision);
      return true;
    },
    postpone: ({ id }) => markTriggerQueried(db, id),
    onError: (error, { id }) => {
      const message = 'a deployment was not decided';
      logger.warn({ correlationId: id, err: describeError(error) }, message);
    },
  });
};

/**
 * Creates the sweep that asks the CI system for the runs of triggers whose outcome is not known:
 * their process died, or the answer was lost. It starts nothing. Without a CI system it does
 * nothing.
 */
export const createDecideDeployments = (deps: DecideDeploymentsDeps): Sweep => ({
  name: 'ci-decide-deployments',
  async run(signal) {
    const { ci, db } = deps;
    if (ci === undefined) return;
    const triggers = await listQuietTriggers(db, { quietMs, limit: batchSize });
    for (const target of deployTargets) {
      if (signal.aborted) return;
      const [first, ...others] = triggers.filter((trigger) => trigger.target === target);
      if (first !== undefined) await decideTriggers({ ...deps, ci }, [first, ...others], signal);
    }
  },
});
