export { createInternalServer } from './create-internal-server.ts';
export { createLifecycle, type Closer, exitOnCrash } from './create-lifecycle.ts';
