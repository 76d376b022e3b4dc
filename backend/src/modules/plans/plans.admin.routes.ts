import { z } from 'zod';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  exampleOf,
  idInput,
  idParams,
  ok,
  pageOf,
  pageQuery,
  rangeQuery,
  type Route,
} from '../../platform/http/index.ts';
import { anyAdmin } from '../admins/index.ts';
import { findAnyPlan, listAllPlans } from './operator-plans.store.ts';
import { installmentPage, planView, presentPlan } from './plans.schemas.ts';
import { planStatuses, type Plan, type PlansDeps } from './plans.types.ts';
import { readInstallments } from './read-installments.ts';

const plansQuery = pageQuery.extend({
  status: z.enum(planStatuses).optional(),
  userId: idInput.optional(),
  hasMandate: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  ...rangeQuery,
});

const operatorPlanView = planView.extend({ user_id: z.uuid() });
operatorPlanView.register(z.globalRegistry, {
  id: 'OperatorSipPlan',
  description: 'A plan of any customer.',
  examples: [{ ...exampleOf(planView), user_id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11' }],
});

const planPage = pageOf(operatorPlanView);

const present = (plan: Plan) => ({ ...presentPlan(plan), user_id: plan.userId });

const requireAnyPlan = async (db: PlansDeps['db'], id: string): Promise<Plan> => {
  const plan = await findAnyPlan(db, id);
  if (plan === undefined) throw new AppError('NOT_FOUND');
  return plan;
};

/** Declares `/plans` of the admin API (contract: plans > Plans of operators). */
export const createPlanAdminRoutes = (deps: Pick<PlansDeps, 'db' | 'payments'>): Route[] => {
  const shared = { tags: ['plans'], access: anyAdmin };
  return [
    defineRoute({
      method: 'GET',
      path: '/plans',
      summary: "Customers' plans, newest first",
      query: plansQuery,
      responses: { 200: planPage },
      ...shared,
      handler: async ({ query: { page, limit, ...filter } }) => {
        const { rows, total } = await listAllPlans(deps.db, filter, { page, limit });
        return ok({ items: rows.map(present), total, page, limit });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/plans/:id',
      summary: 'One plan',
      params: idParams,
      responses: { 200: operatorPlanView },
      errors: ['NOT_FOUND'],
      ...shared,
      handler: async ({ params: { id } }) => ok(present(await requireAnyPlan(deps.db, id))),
    }),
    defineRoute({
      method: 'GET',
      path: '/plans/:id/installments',
      summary: 'The installments of a plan, newest first',
      params: idParams,
      query: pageQuery,
      responses: { 200: installmentPage },
      errors: ['NOT_FOUND'],
      ...shared,
      handler: async ({ params: { id: planId }, query }) => {
        const { userId } = await requireAnyPlan(deps.db, planId);
        return ok(await readInstallments(deps, { userId, planId }, query));
      },
    }),
  ];
};
