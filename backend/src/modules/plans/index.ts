export { createPlans, type Plans } from './create-plans.ts';
export type { PlansDeps } from './plans.types.ts';
