import { istDay } from '../model/figures.ts';
import { dueAt, periodMs } from '../model/schedule.ts';
import type { Plan, World } from '../model/world.ts';
import { Refuted } from '../story.ts';
import type { PlanRow, Snapshot } from './read-snapshot.ts';

const dayMs = 86_400_000;

const isOver = ({ status }: PlanRow): boolean => status === 'CANCELLED' || status === 'COMPLETED';

/** The installments of a plan are numbered from 1 on, each once, and are as many as it says. */
const holdNumbers = (plan: Plan, row: PlanRow, seen: Snapshot): void => {
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

/** A plan is at the date that its installments and the dates passed over come to, and no other. */
const holdSchedule = (plan: Plan, row: PlanRow, now: number): void => {
  if (row.passedOver !== plan.passedOver) {
    throw new Refuted('dates passed over', `${row.passedOver}, not ${plan.passedOver}`);
  }
  const isLast = row.raised === plan.installments;
  const expected = isOver(row) || isLast ? null : dueAt(plan, row.raised + row.passedOver);
  if (row.nextDueAt !== expected) {
    throw new Refuted('next date of a plan', `${row.nextDueAt}, not ${expected}`);
  }
  if (row.raised === plan.raised) return;
  // The customer may call off an announced debit until a day before it is due.
  const early = plan.hasMandate ? dayMs : 0;
  const due = dueAt(plan, row.raised - 1 + plan.heldPassedOver);
  if (due - early > now) {
    throw new Refuted('installment', `number ${row.raised} is raised before ${due}`);
  }
};

/** No two debits of a plan are on one day, or closer to each other than its period. */
const holdDebits = (plan: Plan, seen: Snapshot): void => {
  const sent: number[] = [];
  for (const { order, debitAt, debitSent } of seen.paymentOrders.values()) {
    if (debitAt === null || !debitSent) continue;
    if (seen.orders.get(order)?.plan === plan.id) sent.push(debitAt);
  }
  sent.sort((a, b) => a - b);
  for (const [index, at] of sent.entries()) {
    const before = sent[index - 1];
    if (before === undefined) continue;
    if (at - before >= periodMs[plan.frequency] && istDay(at) !== istDay(before)) continue;
    throw new Refuted('one debit a period', `debits at ${before} and at ${at}`);
  }
};

const ended = new Set(['ALLOCATED', 'FAILED', 'MANUAL_REVIEW']);

/** At rest everything that is due is raised, and a plan with nothing left is completed. */
const holdAtRest = (plan: Plan, row: PlanRow, world: World, seen: Snapshot): void => {
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

/** Holds plans to their exact counts and dates, and takes over what they have come to. */
export const holdPlans = (world: World, seen: Snapshot, isAtRest: boolean): void => {
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
    holdNumbers(plan, row, seen);
    holdSchedule(plan, row, world.now);
    if (plan.hasMandate) holdDebits(plan, seen);
    if (isAtRest) holdAtRest(plan, row, world, seen);
    plan.status = row.status as Plan['status'];
    plan.raised = row.raised;
    plan.heldPassedOver = row.passedOver;
  }
};
