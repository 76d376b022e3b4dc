import type { Route } from '../../platform/http/index.ts';
import type { Sweep } from '../../platform/jobs/index.ts';
import { createAnnounceDebits } from './plans.sweeps.ts';
import { createCompletePlans } from './plans.sweeps.ts';
import { createRaiseInstallments } from './plans.sweeps.ts';
import { createReplanDebits } from './plans.sweeps.ts';
import { createPlanCustomerRoutes } from './plans.customer.routes.ts';
import type { PlansDeps } from './plans.types.ts';

interface Plans {
  readonly customerRoutes: Route[];
  /** The sweeps that announce debits, raise due installments and complete plans. */
  readonly sweeps: readonly Sweep[];
}

/** Creates the customers' routes of SIP plans, and the sweeps that raise their installments. */
export const createPlans = (deps: PlansDeps): Plans => ({
  customerRoutes: createPlanCustomerRoutes(deps),
  sweeps: [
    createReplanDebits(deps),
    createRaiseInstallments(deps),
    createAnnounceDebits(deps),
    createCompletePlans(deps),
  ],
});
