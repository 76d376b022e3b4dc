export { createJobRunner } from './create-job-runner.ts';
export { createScheduleMover } from './create-schedule-mover.ts';
export { createSweepRunner } from './create-sweep-runner.ts';
export { createDeadPoolSweep } from './heartbeat.ts';
export { cancelScheduled, enqueue, schedule } from './enqueue.ts';
export { findJobs, type FoundJob } from './find-jobs.ts';
export {
  type JobContext,
  type JobHandler,
  type JobRequest,
  type JsonObject,
  type TaskList,
} from './job.types.ts';
export { createPurgeSweep, type Purge } from './purge-sweep.ts';
export { createQueueGauge } from './queue-gauge.ts';
export { sweepRows, type Sweep } from './sweep.ts';
