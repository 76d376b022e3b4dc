/** The story, for whoever plays it elsewhere: the demo on a cluster. */
export { createTimers, type Timers } from '../../src/platform/clock/timers.ts';
export { developmentAdmins, developmentPortalUsers } from '../stack/development-accounts.ts';
export { lastLines } from '../stack/run-command.ts';
export { createPrinter } from './create-printer.ts';
export type { DemoEndpoints } from './read-endpoints.ts';
export { runDemo } from './run-demo.ts';
export { expectThat, StepFailure } from './step-failure.ts';
export { story } from './story.ts';
