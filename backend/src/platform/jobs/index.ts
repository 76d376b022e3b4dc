export { createJobRunner } from './create-job-runner.ts';
export { createScheduleMover } from './create-schedule-mover.ts';
export { createStandstill } from './standstill.ts';
export {
  jobStatuses,
  listJobs,
  lockJob,
  removeJob,
  restartJob,
  type ListedJob,
} from './change-jobs.ts';
export { createSweepRunner } from './create-sweep-runner.ts';
export { createDeadPoolSweep } from './jobs.sweeps.ts';
export {
  cancelScheduled,
  enqueue,
  schedule,
  type JobContext,
  type JobRequest,
  type JsonObject,
  type TaskList,
} from './enqueue.ts';
export { findJobs, createQueueGauge, type FoundJob } from './inspect-queue.ts';
export { createPurgeSweep, sweepRows, type Purge, type Sweep } from './sweep.ts';
