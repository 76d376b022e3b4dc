import { z } from 'zod';
import type { JobRequest, TaskList } from '../../platform/jobs/index.ts';

const VALIDATE_TASK = 'banking.validate';

const payloadSchema = z.object({ bankAccountId: z.uuid() });

/**
 * Returns the job that starts an account's validation, or queries the open validation. The key prevents
 * a second job from being queued while one is waiting.
 */
export const validationJob = (bankAccountId: string): JobRequest => ({
  task: VALIDATE_TASK,
  payload: { bankAccountId },
  key: `${VALIDATE_TASK}:${bankAccountId}`,
});

export const createBankingJobs = (
  validate: (bankAccountId: string) => Promise<void>,
): TaskList => ({
  [VALIDATE_TASK]: (payload) => validate(payloadSchema.parse(payload).bankAccountId),
});
