import type { JobContext } from '../../src/platform/jobs/index.ts';
import { createSilentLogger } from '../../src/platform/observability/logger.ts';
import type { openStory } from '../simulation/open-story.ts';

/** A whole service, its collaborators and a story on them. */
export interface JobGround {
  readonly story: Awaited<ReturnType<typeof openStory>>;
  /** Connects as the owner of the tables. */
  readonly migrateUrl: string;
}

/** Runs a job as a replica of the worker does. */
export type RunJob = (replica: 0 | 1) => Promise<void>;

const waitingSql = `
  SELECT j.id::text, j.payload FROM graphile_worker._private_jobs j
  JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE t.identifier = $1 ORDER BY j.id LIMIT 1`;

/** Returns true if a job of this kind waits. */
export const isWaiting = async ({ story }: JobGround, kind: string): Promise<boolean> =>
  (await story.system.client.query(waitingSql, [kind])).rows.length > 0;

/**
 * Takes the job of this kind off the queue.
 * @throws Error if none waits
 */
export const takeJob = async ({ story }: JobGround, kind: string): Promise<RunJob> => {
  const { system } = story;
  const { client } = system;
  const { rows } = await client.query<{ id: string; payload: unknown }>(waitingSql, [kind]);
  const [job] = rows;
  if (job === undefined) throw new Error(`no ${kind} waits`);
  await client.query('DELETE FROM graphile_worker._private_jobs WHERE id = $1', [job.id]);
  const context: JobContext = {
    logger: createSilentLogger(),
    jobId: job.id,
    attempt: 1,
    maxAttempts: 25,
    signal: new AbortController().signal,
  };
  return async (replica) => {
    const handler = system.processes().workers[replica].tasks[kind];
    if (handler === undefined) throw new Error(`no job is called ${kind}`);
    await handler(job.payload, context);
  };
};
