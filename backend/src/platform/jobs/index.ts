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
export { createDeadPoolSweep } from './heartbeat.ts';
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
export { createQueueGauge, readQueue } from './queue-gauge.ts';
export { cancelScheduled, schedule } from './schedule.ts';
export { sweepRows, type Sweep } from './sweep.ts';
