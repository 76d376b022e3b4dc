/**
 * The demo's entry point for other workspaces: the customer's story, its accounts and the step
 * runner.
 */
export { developmentAdmins, developmentPortalUsers } from '../stack/development-accounts.ts';
export type { DemoEndpoints } from './read-endpoints.ts';
export { runDemo } from './run-demo.ts';
export { createStepState, runSteps, type StepOf, type StepState } from './run-steps.ts';
