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
export { cancelScheduled, schedule } from './schedule.ts';
