import { formatRupees } from '../../money/index.ts';
import {
  created,
  defineIdempotentRoute,
  defineRoute,
  idParams,
  ok,
  pageQuery,
  replayed,
  type Route,
} from '../../platform/http/index.ts';
import { customerAccess } from '../identity/index.ts';
import { cancelPlan } from './cancel-plan.ts';
import { createPlan, startDateOf } from './create-plan.ts';
import { pausePlan, resumePlan } from './pause-plan.ts';
import { payInstallment } from './pay-installment.ts';
import {
  createPlanBody,
  installmentPage,
  installmentParams,
  installmentView,
  planPage,
  planView,
  presentPlan,
  skipNextBody,
  skipParams,
} from './plans.schemas.ts';
import { listPlans } from './plans.store.ts';
import type { PlansDeps } from './plans.types.ts';
import { readInstallments, requirePlan } from './read-installments.ts';
import { skipDebit } from './skip-debit.ts';
import { skipNext } from './skip-next.ts';

const shared = { tags: ['plans'], access: customerAccess } as const;

/** Declares `POST /gold/sip`. */
const createPlanRoute = (deps: PlansDeps): Route =>
  defineIdempotentRoute({
    ...shared,
    method: 'POST',
    path: '/gold/sip',
    summary: 'Start a plan that buys gold in installments',
    body: createPlanBody,
    responses: { 201: planView, 200: planView },
    errors: [
      'IDEMPOTENCY_KEY_REUSED',
      'REQUEST_IN_PROGRESS',
      'KYC_REQUIRED',
      'LIMIT_EXCEEDED',
      'NO_USABLE_GATEWAY',
    ],
    idempotent: {
      keys: deps.idempotency,
      operation: 'gold.sip',
      owner: ({ userId }) => userId,
      key: ({ idempotency_key: key }) => key,
      payload: ({ amount_inr: amount, mandate_max_inr: most, ...body }) => ({
        ...body,
        amount_inr: formatRupees(amount),
        // A missing maximum is left out, because the payloads of older keys do not have the field.
        ...(most !== undefined && { mandate_max_inr: formatRupees(most) }),
        idempotency_key: undefined,
      }),
      replay: async (id, { userId }) => replayed(presentPlan(await requirePlan(deps, userId, id))),
      // Creating a plan takes no money. The gate is checked for each installment.
      gate: async () => {},
      check: (body) => void startDateOf(body, deps.clock.now()),
    },
    handler: async ({ body, principal: { userId }, key }) => {
      const { plan, isReplay } = await createPlan(deps, { userId, body }, key);
      return isReplay ? replayed(presentPlan(plan)) : created(presentPlan(plan));
    },
  });

/** Declares the routes that pay one installment and skip its debit. */
const createInstallmentRoutes = (deps: PlansDeps): Route[] => [
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/gold/sip/:id/installments/:orderId/pay',
    summary: 'Pay an installment that failed or was not debited',
    params: installmentParams,
    responses: { 200: installmentView },
    errors: [
      'PAYMENTS_DISABLED',
      'KYC_REQUIRED',
      'NOT_FOUND',
      'ILLEGAL_TRANSITION',
      'LIMIT_EXCEEDED',
      'NO_USABLE_GATEWAY',
      'GATEWAY_MISMATCH',
    ],
    handler: async ({ params, principal: { userId }, context: { requestId } }) => {
      const { id: planId, orderId } = params;
      return ok(await payInstallment(deps, { userId, planId, orderId, requestId }));
    },
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/gold/sip/:id/installments/:number/skip',
    summary: 'Skip one debit under a mandate, unless it was already sent',
    params: skipParams,
    responses: { 200: installmentView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id: planId, number }, principal: { userId } }) =>
      ok(await skipDebit(deps, { userId, planId, number })),
  }),
];

/** Declares the routes that cancel, pause and resume a plan and skip its next installment. */
const createChangeRoutes = (deps: PlansDeps): Route[] => [
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/gold/sip/:id/cancel',
    summary: 'Cancel a plan, so that no more installments are created',
    params: idParams,
    responses: { 200: planView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params, principal: { userId } }) =>
      ok(presentPlan(await cancelPlan(deps, userId, params.id))),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/gold/sip/:id/pause',
    summary: 'Pause a plan, so that no installment is created or debited until it is resumed',
    params: idParams,
    responses: { 200: planView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id: planId }, principal: { userId } }) =>
      ok(presentPlan(await pausePlan(deps, { userId, planId }))),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/gold/sip/:id/resume',
    summary: 'Resume a paused plan at the next date of its schedule',
    params: idParams,
    responses: { 200: planView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id: planId }, principal: { userId } }) =>
      ok(presentPlan(await resumePlan(deps, { userId, planId }))),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/gold/sip/:id/skip-next',
    summary: 'Skip the next installment. The plan ends one date later',
    params: idParams,
    body: skipNextBody,
    responses: { 200: planView },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id: planId }, body: { due_at: dueAt }, principal: { userId } }) =>
      ok(presentPlan(await skipNext(deps, { userId, planId, dueAt }))),
  }),
];

/** Declares the customers' routes of plans (contract: plans > Plan routes). */
export const createPlanCustomerRoutes = (deps: PlansDeps): Route[] => [
  createPlanRoute(deps),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/gold/sip',
    summary: "The caller's plans, newest first",
    query: pageQuery,
    responses: { 200: planPage },
    handler: async ({ query, principal: { userId } }) => {
      const { rows, total } = await listPlans(deps.db, userId, query);
      return ok({ items: rows.map(presentPlan), total, ...query });
    },
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/gold/sip/:id',
    summary: 'One plan',
    params: idParams,
    responses: { 200: planView },
    errors: ['NOT_FOUND'],
    handler: async ({ params, principal: { userId } }) =>
      ok(presentPlan(await requirePlan(deps, userId, params.id))),
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/gold/sip/:id/installments',
    summary: 'The installments of a plan, newest first',
    params: idParams,
    query: pageQuery,
    responses: { 200: installmentPage },
    errors: ['NOT_FOUND'],
    handler: async ({ params: { id: planId }, query, principal: { userId } }) =>
      ok(await readInstallments(deps, { userId, planId }, query)),
  }),
  ...createChangeRoutes(deps),
  ...createInstallmentRoutes(deps),
];
