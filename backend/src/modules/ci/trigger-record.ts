import type { DeployTarget, Dispatched } from '../../adapters/ci/port.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { deployBranch, deployLockMs, type TriggerStatus } from './ci.types.ts';
import { createDeployTriggerStore } from './deploy-trigger.store.ts';

export interface Trigger {
  readonly correlationId: string;
  readonly target: DeployTarget;
  readonly workflow: string;
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

interface Ending {
  readonly status: TriggerStatus;
  /** The run, or why there is none. */
  readonly detail?: string;
}

const endingOf = (outcome: Outcome<Dispatched>): Ending => {
  switch (outcome.kind) {
    case 'done': {
      const { run } = outcome.value;
      return { status: 'DISPATCHED', ...(run !== undefined && { detail: `run ${run.id}` }) };
    }
    case 'refused':
      return { status: 'REFUSED', detail: `${outcome.code}: ${outcome.message}` };
    case 'unknown':
      return { status: 'UNKNOWN', detail: outcome.reason };
    default:
      return outcome satisfies never;
  }
};

const auditTarget = ({ target }: Trigger) => ({ type: 'deploy_target', id: target });

/** What is kept of triggers: a row for each, and audit rows that tell of it. */
export const createTriggerRecord = (options: {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
}) => {
  const { inTransaction, audit } = options;

  return {
    /**
     * Writes that a trigger is on its way, and answers when. Two at once are decided one after
     * the other, whichever replicas they reach.
     * @throws AppError DEPLOY_TOO_SOON
     */
    open: (trigger: Trigger): Promise<Date> =>
      inTransaction(async (db) => {
        const store = createDeployTriggerStore(db);
        await store.lock();
        const waitMs = await store.lockedForMs(deployLockMs);
        if (waitMs !== undefined) {
          throw new AppError('DEPLOY_TOO_SOON', { retryAfterSeconds: waitMs / 1000 });
        }
        const { correlationId, target, workflow, principal, context } = trigger;
        const actorId = principal.adminId;
        const at = await store.insert({ id: correlationId, target, actorId });
        await audit.record(db, {
          action: 'devops.deploy.trigger',
          ...adminActor(principal, context),
          target: auditTarget(trigger),
          after: { correlationId, workflow, branch: deployBranch, status: 'DISPATCHING' },
        });
        return at;
      }),

    /** Writes what became of it. */
    settle: (trigger: Trigger, outcome: Outcome<Dispatched>): Promise<void> =>
      inTransaction(async (db) => {
        const { correlationId, principal, context } = trigger;
        const { status, detail } = endingOf(outcome);
        const isSettled = await createDeployTriggerStore(db).settle(correlationId, status, detail);
        if (!isSettled) return;
        await audit.record(db, {
          action: 'devops.deploy.outcome',
          ...adminActor(principal, context),
          target: auditTarget(trigger),
          before: { correlationId, status: 'DISPATCHING' },
          after: { correlationId, status, ...(detail !== undefined && { detail }) },
        });
      }),
  };
};

export type TriggerRecord = ReturnType<typeof createTriggerRecord>;
