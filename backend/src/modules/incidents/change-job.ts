import { z } from 'zod';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  lockJob,
  removeJob,
  restartJob,
  type JsonObject,
  type ListedJob,
} from '../../platform/jobs/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';

export interface ChangeJobDeps {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
}

/** Keeps the string fields of a payload, which are ids. No other field is audited. */
const idsOf = z
  .record(z.string(), z.unknown())
  .transform((payload): JsonObject =>
    Object.fromEntries(
      Object.entries(payload).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
    ),
  );

/** Locks a job for a change. @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the job is running */
const lockIdleJob = async (tx: Db, id: string): Promise<ListedJob> => {
  const job = await lockJob(tx, id);
  if (job === undefined) throw new AppError('NOT_FOUND');
  if (job.status === 'running') {
    throw new AppError('ILLEGAL_TRANSITION', {
      message: 'The job is running. Wait until it has ended.',
      details: { status: job.status },
    });
  }
  return job;
};

const auditOf = (
  { id, task, status, attempts, payload }: ListedJob,
  { principal, context }: ByOperator,
) => ({
  ...adminActor(principal, context),
  target: { type: 'job', id },
  before: { task, status, attempts, ...idsOf.parse(payload ?? {}) },
});

/**
 * Retries a queued or dead job at once and resets its number of attempts. Job handlers read their rows
 * first, so a job whose work is already done does nothing.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the job is running
 */
export const retryJob = (
  { inTransaction, audit }: ChangeJobDeps,
  id: string,
  operator: ByOperator,
): Promise<ListedJob | undefined> =>
  inTransaction(async (tx) => {
    const job = await lockIdleJob(tx, id);
    await restartJob(tx, id);
    const after = { status: 'queued', attempts: 0 };
    await audit.record(tx, { action: 'job.retry', ...auditOf(job, operator), after });
    return lockJob(tx, id);
  });

/**
 * Permanently removes a dead job from the queue. A job that is still being retried can't be removed,
 * because its next attempt may succeed.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the job is running or still being retried
 */
export const discardJob = (
  { inTransaction, audit }: ChangeJobDeps,
  id: string,
  reason: string,
  operator: ByOperator,
): Promise<ListedJob> =>
  inTransaction(async (tx) => {
    const job = await lockIdleJob(tx, id);
    if (job.status !== 'dead') {
      throw new AppError('ILLEGAL_TRANSITION', {
        message: 'This job is still being retried. Only a dead job can be discarded.',
        details: { status: job.status },
      });
    }
    await removeJob(tx, id);
    const entry = auditOf(job, operator);
    await audit.record(tx, { action: 'job.discard', ...entry, sealed: { after: { reason } } });
    return job;
  });
