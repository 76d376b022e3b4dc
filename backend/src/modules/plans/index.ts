export { mostInstallments } from './plans.schemas.ts';
export { frequencies } from './schedule.rules.ts';
export { createPlans } from './create-plans.ts';
export { listPlansOfUser } from './operator-plans.store.ts';
export { createPlanAdminRoutes } from './plans.admin.routes.ts';
export { planView, presentPlan } from './plans.schemas.ts';
