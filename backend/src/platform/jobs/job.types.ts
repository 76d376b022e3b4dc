import type { Logger } from '../observability/logger.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** A job that is due now. The payload holds ids only: it is kept in the clear. */
export interface JobRequest {
  readonly task: string;
  readonly payload: JsonObject;
  /** A job of this key that has not started yet is replaced, not doubled. */
  readonly key?: string;
  /** Tries until the job is given up (default 25). */
  readonly maxAttempts?: number;
  /** Jobs of one queue run one after another. */
  readonly queue?: string;
}

/** A job that waits for a moment of the business clock. */
export interface ScheduledJobRequest extends Omit<JobRequest, 'key'> {
  /** Names the wait: scheduling the same key again moves it. */
  readonly key: string;
  readonly dueAt: Date;
}

export interface JobContext {
  readonly logger: Logger;
  readonly jobId: string;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborts when the process can't wait for the job any longer. */
  readonly signal: AbortSignal;
}

/** Runs at least once; a throw is a retry. Parse the payload: it may be an older version's. */
export type JobHandler = (payload: unknown, context: JobContext) => Promise<void>;

export type TaskList = Readonly<Record<string, JobHandler>>;

export const defaultMaxAttempts = 25;

/**
 * Marks a job that was queued under a key. When a job of its key comes while it runs, the queue
 * takes its key and its attempts away; one that then has no key any more was replaced, which is
 * not the same as given up.
 */
export const keyedFlag = 'keyed';
