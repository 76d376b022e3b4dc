export { createInternalServer } from './create-internal-server.ts';
export { createLifecycle } from './create-lifecycle.ts';
export { type Closer } from './create-shutdown.ts';
export { exitOnCrash } from './exit-on-crash.ts';
