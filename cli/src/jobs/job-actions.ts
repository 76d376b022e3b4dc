import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { askAdmin, confirmed, given, listRows, pageOf, printRow } from '../desk/ask-admin.ts';
import type { Paging } from '../desk/paging.ts';
import type { JobStatus } from './job-statuses.ts';

/** A job of the queue. */
export const jobForm = z.looseObject({
  id: z.string(),
  task: z.string(),
  status: z.string(),
  key: z.string().nullable(),
  attempts: z.int(),
  maxAttempts: z.int().nullable(),
  lastError: z.string().nullable(),
  dueAt: z.string(),
  createdAt: z.string(),
});
type Job = z.infer<typeof jobForm>;

/** A page of jobs. */
export const jobPage = pageOf(jobForm);

const columns = {
  job: ({ id }: Job) => id,
  task: ({ task }: Job) => task,
  status: ({ status }: Job) => status,
  tries: ({ attempts, maxAttempts }: Job) => `${attempts} of ${maxAttempts ?? '-'}`,
  due: ({ dueAt }: Job) => dueAt,
  error: ({ lastError }: Job) => lastError ?? '-',
};

const print = (deps: CliDeps, command: Command, job: Job): void =>
  printRow(deps, command, job, {
    columns,
    more: [
      ['key', job.key ?? '-'],
      ['created', job.createdAt],
    ],
  });

export interface ListOptions extends Paging {
  readonly status?: JobStatus;
  readonly task?: string;
}

/** Prints jobs of a status, dead jobs by default. */
export const listJobs = (
  deps: CliDeps,
  { status, task, page, limit }: ListOptions,
  command: Command,
): Promise<void> =>
  listRows(deps, command, jobPage, {
    send: (client) => client.get('/v1/jobs', { query: given({ page, limit, status, task }) }),
    columns,
    none: 'There are no such jobs.',
  });

/** Restarts a job, with all its attempts. */
export const retryJob = async (deps: CliDeps, id: string, command: Command): Promise<void> => {
  const job = await askAdmin(deps, command, jobForm, (client) =>
    client.post('/v1/jobs/{id}/retry', { path: { id } }),
  );
  print(deps, command, job);
};

export interface DiscardOptions {
  readonly reason: string;
  readonly yes?: boolean;
}

/** Removes a dead job from the queue. */
export const discardJob = async (
  deps: CliDeps,
  id: string,
  { reason, yes }: DiscardOptions,
  command: Command,
): Promise<void> => {
  await confirmed(deps, `Discard job ${id} for good?`, yes);
  const job = await askAdmin(deps, command, jobForm, (client) =>
    client.post('/v1/jobs/{id}/discard', { path: { id }, body: { reason } }),
  );
  print(deps, command, job);
};
