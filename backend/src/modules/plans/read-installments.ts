import type { Page } from '../../platform/http/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { findOrder, listInstallments, type GoldOrder } from '../orders/index.ts';
import { listPaymentOrders, presentPaymentOrder } from '../payments/index.ts';
import { presentInstallment } from './plans.schemas.ts';
import { findPlan } from './plans.store.ts';
import type { Plan, PlansDeps } from './plans.types.ts';

type ReadDeps = Pick<PlansDeps, 'db' | 'payments'>;

/** Returns a customer's plan. @throws AppError NOT_FOUND */
export const requirePlan = async (
  { db }: Pick<PlansDeps, 'db'>,
  userId: string,
  planId: string,
): Promise<Plan> => {
  const plan = await findPlan(db, planId, userId);
  if (plan === undefined) throw new AppError('NOT_FOUND');
  return plan;
};

const presentInstallments = async ({ db, payments }: ReadDeps, orders: readonly GoldOrder[]) => {
  const paymentOrders = await listPaymentOrders(
    db,
    orders.map(({ id }) => id),
  );
  return orders.map((order) => {
    // `listPaymentOrders` returns the newest payment order first.
    const latest = paymentOrders.find(({ orderId }) => orderId === order.id);
    return presentInstallment(order, latest && presentPaymentOrder(payments, latest));
  });
};

/** Presents one page of a plan's installments, newest first. @throws AppError NOT_FOUND */
export const readInstallments = async (
  deps: ReadDeps,
  owner: { readonly userId: string; readonly planId: string },
  page: Page,
) => {
  const plan = await requirePlan(deps, owner.userId, owner.planId);
  const orders = await listInstallments(deps.db, plan.id, page);
  return {
    items: await presentInstallments(deps, orders),
    total: plan.installmentsRaised,
    ...page,
  };
};

/** Presents one installment of a plan. @throws AppError NOT_FOUND */
export const readInstallment = async (deps: ReadDeps, planId: string, orderId: string) => {
  const order = await findOrder(deps.db, orderId);
  const [installment] = order?.sipPlanId === planId ? await presentInstallments(deps, [order]) : [];
  if (installment === undefined) throw new AppError('NOT_FOUND');
  return installment;
};
