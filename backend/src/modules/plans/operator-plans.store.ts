import type { Prisma } from '../../generated/prisma/client.ts';
import { boundsOf, type Db } from '../../platform/db/index.ts';
import { offsetOf, type ListRange, type Page } from '../../platform/http/index.ts';
import { readCountedPage } from '../transaction-counts/index.ts';
import { planColumns, toPlan } from './plans.store.ts';
import type { Plan, PlanStatus } from './plans.types.ts';

interface PlanFilter extends ListRange {
  readonly userId?: string | undefined;
  readonly status?: PlanStatus | undefined;
  readonly hasMandate?: boolean | undefined;
}

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] as const;

/** Returns a page of the plans of all customers, newest first, and the number of matching plans. */
export const listAllPlans = async (
  db: Db,
  { userId, status, hasMandate, ...range }: PlanFilter,
  page: Page,
): Promise<{ readonly rows: readonly Plan[]; readonly total: number }> => {
  const { createdAt, amount } = boundsOf(range);
  const where: Prisma.SipPlanWhereInput = {
    ...(userId !== undefined && { userId }),
    ...(status !== undefined && { status }),
    ...(hasMandate !== undefined && { mandateGateway: hasMandate ? { not: null } : null }),
    ...(createdAt !== undefined && { createdAt }),
    ...(amount !== undefined && { amountPaise: amount }),
  };
  const readRows = async (bounds: object, slice: { skip: number; take: number }) => {
    const rows = await db.sipPlan.findMany({
      where: { ...where, ...bounds },
      orderBy: [...newestFirst],
      select: planColumns,
      ...slice,
    });
    return rows.map(toPlan);
  };
  const countRows = (bounds: object) => db.sipPlan.count({ where: { ...where, ...bounds } });
  // The daily counts distinguish plans by nothing else.
  if (userId === undefined && hasMandate === undefined && amount === undefined) {
    const statuses = status === undefined ? undefined : [status];
    const part = { kinds: ['SIP_PLAN'] as const, statuses, ...range };
    return readCountedPage(db, part, page, { countRows, readRows });
  }
  const slice = { skip: offsetOf(page), take: page.limit };
  const [rows, total] = await Promise.all([readRows({}, slice), countRows({})]);
  return { rows, total };
};

/** Returns the newest plans of a customer. */
export const listPlansOfUser = async (db: Db, userId: string, limit: number): Promise<Plan[]> => {
  const rows = await db.sipPlan.findMany({
    where: { userId },
    orderBy: [...newestFirst],
    take: limit,
    select: planColumns,
  });
  return rows.map(toPlan);
};

/** Returns a plan of any customer. */
export const findAnyPlan = async (db: Db, id: string): Promise<Plan | undefined> => {
  const row = await db.sipPlan.findUnique({ where: { id }, select: planColumns });
  return row === null ? undefined : toPlan(row);
};
