/**
 * The customer's story, for whoever plays it elsewhere: to play it, the accounts it needs, and what
 * runs its steps, for steps of others.
 */
export { developmentAdmins, developmentPortalUsers } from '../stack/development-accounts.ts';
export type { DemoEndpoints } from './read-endpoints.ts';
export { runDemo } from './run-demo.ts';
export { createStepState, runSteps, type StepOf, type StepState } from './run-steps.ts';
