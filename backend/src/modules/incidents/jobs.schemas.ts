import { z } from 'zod';
import { pageOf, pageQuery, plainText } from '../../platform/http/index.ts';
import { jobStatuses, type ListedJob } from '../../platform/jobs/index.ts';

export const jobsQuery = pageQuery.extend({
  status: z.enum(jobStatuses).prefault('dead'),
  task: z
    .string()
    .regex(/^[\w.:-]{1,100}$/u, 'must be a task, such as gold.allocate')
    .optional(),
});

/** The path of a queued job. A scheduled job has an id of another form and can't be changed. */
export const jobParams = z.object({
  id: z.string().regex(/^[1-9]\d{0,17}$/u, "must be a job's number"),
});

export const discardBody = z.object({ reason: plainText(2000) });
discardBody.register(z.globalRegistry, {
  id: 'DiscardJobRequest',
  examples: [{ reason: 'The order was deleted with the test installation.' }],
});

export const jobView = z.object({
  id: z.string(),
  task: z.string(),
  status: z.enum(jobStatuses),
  key: z.string().nullable(),
  payload: z
    .unknown()
    .describe('The ids of the rows that the job works on. It contains no other data.'),
  attempts: z.int().min(0),
  maxAttempts: z.int().nullable(),
  lastError: z.string().nullable(),
  dueAt: z.iso
    .datetime()
    .describe(
      'The time at which the job is due, by the clock of the database. For a scheduled job it is ' +
        'by the clock of the service.',
    ),
  createdAt: z.iso.datetime(),
});
jobView.register(z.globalRegistry, {
  id: 'Job',
  description: 'A job of the worker: queued, running or dead.',
  examples: [
    {
      id: '4711',
      task: 'gold.allocate',
      status: 'dead',
      key: 'gold.allocate:0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
      payload: { orderId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10' },
      attempts: 25,
      maxAttempts: 25,
      lastError: 'InvariantError: the order has no holding',
      dueAt: '2026-01-15T09:30:00.000Z',
      createdAt: '2026-01-14T09:30:00.000Z',
    },
  ],
});

export const jobPage = pageOf(jobView);

export const presentJob = (job: ListedJob) => ({
  id: job.id,
  task: job.task,
  status: job.status,
  key: job.key,
  payload: job.payload,
  attempts: job.attempts,
  maxAttempts: job.maxAttempts,
  lastError: job.lastError,
  dueAt: job.dueAt.toISOString(),
  createdAt: job.createdAt.toISOString(),
});
