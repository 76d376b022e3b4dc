export { createInternalServer } from './create-internal-server.ts';
export {
  createLifecycle,
  type Lifecycle,
  type LifecycleOptions,
  type LifecycleServer,
} from './create-lifecycle.ts';
export { type Closer } from './create-shutdown.ts';
export { exitOnCrash } from './exit-on-crash.ts';
export { type ReadinessCheck, type ReadinessReport } from './readiness.ts';
