export { mostInstallments } from './plans.schemas.ts';
export { frequencies } from './schedule.rules.ts';
export { createPlans, type Plans } from './create-plans.ts';
export type { PlansDeps } from './plans.types.ts';
