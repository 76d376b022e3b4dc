export { createInternalServer } from './create-internal-server.ts';
export { createLifecycle, exitOnCrash, type Closer } from './create-lifecycle.ts';
