import { istDay } from '../model/figures.ts';
import { dueAt, periodMs } from '../model/schedule.ts';
import type { Plan, World } from '../model/world.ts';
import { Refuted } from '../story.ts';
import type { PlanRow, Snapshot } from './read-snapshot.ts';

const dayMs = 86_400_000;

const isOver = ({ status }: PlanRow): boolean => status === 'CANCELLED' || status === 'COMPLETED';

/**
 * Checks that the installments of a plan are numbered from 1, each once, and that their count
 * agrees with the plan's.
 */
const checkNumbers = (plan: Plan, row: PlanRow, seen: Snapshot): void => {
  const numbers: number[] = [];
  for (const order of seen.orders.values()) {
    if (order.plan === plan.id) numbers.push(order.number ?? 0);
  }
  const expected = Array.from({ length: row.raised }, (_, index) => index + 1);
  if (JSON.stringify(numbers.toSorted((a, b) => a - b)) !== JSON.stringify(expected)) {
    throw new Refuted('installments of a plan', `${numbers.join(', ')} of ${row.raised}`);
  }
  if (row.raised > plan.installments) {
    throw new Refuted('installments of a plan', `${row.raised}, of ${plan.installments} at most`);
  }
};

/**
 * Checks that the next date of a plan follows from the number of its installments and of its
 * skipped dates.
 */
const checkSchedule = (plan: Plan, row: PlanRow, now: number): void => {
  if (row.passedOver !== plan.passedOver) {
    throw new Refuted('dates passed over', `${row.passedOver}, not ${plan.passedOver}`);
  }
  const isLast = row.raised === plan.installments;
  const expected = isOver(row) || isLast ? null : dueAt(plan, row.raised + row.passedOver);
  if (row.nextDueAt !== expected) {
    throw new Refuted('next date of a plan', `${row.nextDueAt}, not ${expected}`);
  }
  if (row.raised === plan.raised) return;
  // An installment with a mandate is raised a day early, so that the customer can still skip the
  // announced debit.
  const early = plan.hasMandate ? dayMs : 0;
  const due = dueAt(plan, row.raised - 1 + plan.checkedPassedOver);
  if (due - early > now) {
    throw new Refuted('installment', `number ${row.raised} is raised before ${due}`);
  }
};

/** Checks that no two debits of a plan are on one day and closer to each other than its period. */
const checkDebits = (plan: Plan, seen: Snapshot): void => {
  const sent: number[] = [];
  for (const { order, debitAt, debitSent } of seen.paymentOrders.values()) {
    if (debitAt === null || !debitSent) continue;
    if (seen.orders.get(order)?.plan === plan.id) sent.push(debitAt);
  }
  sent.sort((a, b) => a - b);
  for (const [index, at] of sent.entries()) {
    const previous = sent[index - 1];
    if (previous === undefined) continue;
    if (at - previous >= periodMs[plan.frequency] && istDay(at) !== istDay(previous)) continue;
    throw new Refuted('one debit a period', `debits at ${previous} and at ${at}`);
  }
};

const ended = new Set(['ALLOCATED', 'FAILED', 'MANUAL_REVIEW']);

/**
 * Checks that at rest every due installment is raised, and that a plan without further installments
 * is completed.
 */
const checkAtRest = (plan: Plan, row: PlanRow, world: World, seen: Snapshot): void => {
  const owner = world.customers[plan.customer];
  const mayBuy = owner?.kyc === 'APPROVED' && !owner.blocked && !owner.deleted;
  const isFree = mayBuy && world.gates.buy && world.disabledGateways.length === 0;
  if (row.status !== 'ACTIVE' || !isFree) return;
  if (row.nextDueAt !== null && row.nextDueAt <= world.now) {
    throw new Refuted('at rest: a plan', `was due at ${row.nextDueAt}, now is ${world.now}`);
  }
  const orders = [...seen.orders.values()].filter((order) => order.plan === plan.id);
  if (row.nextDueAt === null && orders.every(({ status }) => ended.has(status))) {
    throw new Refuted('at rest: a plan', 'has raised all installments, and is not completed');
  }
};

/** Checks the exact counts and dates of plans, and updates the story's plans from the database. */
export const checkPlans = (world: World, seen: Snapshot, isAtRest: boolean): void => {
  const written = new Set<string>();
  for (const id of seen.changed) {
    const order = seen.orders.get(seen.paymentOrders.get(id)?.order ?? id);
    if (order?.plan !== null && order !== undefined) written.add(order.plan);
    if (seen.plans.has(id)) written.add(id);
  }
  for (const plan of world.plans) {
    if (!isAtRest && !written.has(plan.id)) continue;
    const row = seen.plans.get(plan.id);
    if (row === undefined) throw new Refuted('plan', `${plan.id} is gone`);
    checkNumbers(plan, row, seen);
    checkSchedule(plan, row, world.now);
    if (plan.hasMandate) checkDebits(plan, seen);
    if (isAtRest) checkAtRest(plan, row, world, seen);
    plan.status = row.status as Plan['status'];
    plan.raised = row.raised;
    plan.checkedPassedOver = row.passedOver;
  }
};
