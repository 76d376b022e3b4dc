export { createJobRunner, type JobRunner, type JobRunnerOptions } from './create-job-runner.ts';
export {
  createScheduleMover,
  type ScheduleMover,
  type ScheduleMoverOptions,
} from './create-schedule-mover.ts';
export {
  createSweepRunner,
  type SweepRunner,
  type SweepRunnerOptions,
} from './create-sweep-runner.ts';
export { enqueue } from './enqueue.ts';
export {
  defaultMaxAttempts,
  type JobContext,
  type JobHandler,
  type JobRequest,
  type JsonObject,
  type JsonValue,
  type ScheduledJobRequest,
  type TaskList,
} from './job.types.ts';
export { createQueueGauge, createQueueSweeps, readQueue } from './queue-sweeps.ts';
export { cancelScheduled, schedule } from './schedule.ts';
export { createSweep, type Sweep } from './sweep.ts';
