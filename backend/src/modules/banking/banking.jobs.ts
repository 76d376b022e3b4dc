import { z } from 'zod';
import type { JobRequest, TaskList } from '../../platform/jobs/index.ts';
import type { ValidateAccount } from './validate-account.ts';

const VALIDATE_TASK = 'banking.validate';

const payloadSchema = z.object({ bankAccountId: z.uuid() });

/** Asks for an account's validation, or about the open one. Not doubled while it waits. */
export const validationJob = (bankAccountId: string): JobRequest => ({
  task: VALIDATE_TASK,
  payload: { bankAccountId },
  key: `${VALIDATE_TASK}:${bankAccountId}`,
});

/** What this module does on the queue. */
export const createBankingJobs = (validateAccount: ValidateAccount): TaskList => ({
  [VALIDATE_TASK]: (payload) => validateAccount(payloadSchema.parse(payload).bankAccountId),
});
