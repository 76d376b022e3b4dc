import { unitsOf } from '../model/figures.ts';
import type { Buy, Payment, World } from '../model/world.ts';
import { Refuted } from '../story.ts';
import { holdGoods } from './hold-goods.ts';
import { holdPlans } from './hold-plans.ts';
import { holdRewards } from './hold-rewards.ts';
import type { Snapshot } from './read-snapshot.ts';

const isCaptured = ({ outcome }: Payment): boolean => outcome === 'captured';

const isRight = (buy: Buy, payment: Payment): boolean =>
  isCaptured(payment) && payment.amountPaise === buy.amountPaise && payment.currency === 'INR';

/** A gateway that misbehaves may report another amount than it has captured. */
const isMisread = ({ payments, wasTroubled }: Buy): boolean => wasTroubled && payments.length > 0;

/** The codes of review that an order may have, of what happened to it. */
const codesOf = (buy: Buy, world: World): string[] => {
  const { payments, amountPaise, lockEnds } = buy;
  const captured = payments.filter(isCaptured);
  const right = captured.filter((payment) => isRight(buy, payment));
  const isOver = lockEnds !== undefined && world.now > lockEnds;
  return [
    ...(captured.some((payment) => payment.amountPaise !== amountPaise) || isMisread(buy)
      ? ['AMOUNT_MISMATCH']
      : []),
    ...(captured.some(({ currency }) => currency !== 'INR') ? ['CURRENCY_MISMATCH'] : []),
    ...(captured.length > 1 ? ['SECOND_CAPTURE'] : []),
    ...(captured.some(({ reversedPaise }) => reversedPaise > 0) ? ['PAYMENT_REVERSED'] : []),
    ...(captured.length > 0 && (isOver || isGone(buy, world)) ? ['LATE_CAPTURE'] : []),
    ...(right.length > 0 && isOver ? ['PROVIDER_LOCK_EXPIRED'] : []),
    ...(right.length > 0 && buy.wasTroubled ? ['ALLOCATION_EXHAUSTED', 'GRAMS_MISMATCH'] : []),
  ];
};

/** A capture for a customer who is gone, or for gold that was recovered, comes too late. */
const isGone = (buy: Buy, world: World): boolean =>
  world.customers[buy.customer]?.deleted === true || buy.resolutions.includes('RECOVER');

/** States that lead to gold, of an order with a right payment. */
const paidStates = ({ missed, wasTroubled, resolutions }: Buy): string[] => {
  if (missed === undefined || wasTroubled || resolutions.includes('ALLOCATE')) {
    return ['PAID', 'RETRY_PENDING', 'ALLOCATED'];
  }
  return missed === 'gold' ? ['PAID'] : [];
};

/** States, with the code of a review, that the order may be in at this moment. */
const allowedNow = (buy: Buy, world: World): string[] => {
  const captured = buy.payments.filter(isCaptured);
  const told = captured.filter(({ toldAt }) => toldAt !== undefined);
  const right = captured.filter((payment) => isRight(buy, payment));
  const wentBack = buy.resolutions.some((one) => one === 'REFUNDED' || one === 'RECOVER');
  return [
    ...(told.length === 0 || buy.plan !== undefined ? ['PENDING'] : []),
    ...(told.length === 0 || wentBack ? ['FAILED'] : []),
    ...(right.length > 0 ? paidStates(buy) : []),
    ...codesOf(buy, world).map((code) => `MANUAL_REVIEW ${code}`),
  ];
};

/** The states in which an order stays once everything in progress has finished. */
const allowedAtRest = (buy: Buy, world: World): string[] => {
  const captured = buy.payments.filter(isCaptured);
  const right = captured.filter((payment) => isRight(buy, payment));
  const isOver = buy.lockEnds === undefined || world.now > buy.lockEnds;
  const reviews = codesOf(buy, world).map((code) => `MANUAL_REVIEW ${code}`);
  if (captured.length === 0) {
    const failed = buy.payments.length > 0 || isOver ? ['FAILED'] : [];
    return [...(isOver && buy.plan === undefined ? [] : ['PENDING']), ...failed];
  }
  if (buy.resolutions.length > 0) {
    return allowedNow(buy, world).filter((one) => one !== 'PAID' && one !== 'RETRY_PENDING');
  }
  const known = captured.some(({ toldAt }) => toldAt !== undefined);
  // Only reconciliation learns of changes that came after the end, without an event.
  const unheard = known ? [] : ['FAILED', 'PENDING'];
  const single = captured.length === 1 && right.length === 1 && right[0]?.reversedPaise === 0;
  const isBought = (single || right.length > 0) && paidStates(buy).includes('ALLOCATED');
  return [...(isBought ? ['ALLOCATED'] : []), ...reviews, ...unheard];
};

const holdBuy = (buy: Buy, world: World, seen: Snapshot, isAtRest: boolean): void => {
  const order = seen.orders.get(buy.id);
  if (order === undefined) throw new Refuted('order', `${buy.id} is gone`);
  const state = order.code === null ? order.status : `${order.status} ${order.code}`;
  const allowed = isAtRest ? allowedAtRest(buy, world) : allowedNow(buy, world);
  if (!allowed.includes(state)) {
    const when = isAtRest ? 'at rest' : 'now';
    throw new Refuted(
      `state of a buy ${when}`,
      `${state} is none of ${allowed.join(', ')}: ${JSON.stringify(buy)}`,
    );
  }
  if (order.amount !== buy.amountPaise) {
    throw new Refuted('rupees of a buy', `${order.amount}, not ${buy.amountPaise}`);
  }
  const grams = order.grams === null ? undefined : unitsOf(order.grams);
  if (buy.grams !== undefined && grams !== undefined && buy.grams !== grams) {
    throw new Refuted('grams of a buy', `${grams}, not ${buy.grams}`);
  }
};

/** Units of gold that the story says a customer has. */
const balanceOf = (world: World, seen: Snapshot, index: number) => {
  let [most, recovered] = [0, 0];
  for (const buy of world.buys.filter(({ customer }) => customer === index)) {
    const order = seen.orders.get(buy.id);
    if (order?.hasGold !== true) continue;
    most += buy.grams ?? unitsOf(order.grams ?? '0');
    if (order.recovered) recovered += unitsOf(order.grams ?? '0');
  }
  for (const sale of world.sales.filter(({ customer }) => customer === index)) {
    const { status } = seen.orders.get(sale.id) ?? {};
    if (status === 'CONFIRMED' || status === 'COMPLETED') most -= sale.grams;
  }
  return { most, least: most - recovered };
};

const holdHolding = (world: World, seen: Snapshot, index: number): void => {
  const customer = world.customers[index];
  const holding = seen.holdings.get(customer?.userId ?? '');
  if (customer === undefined || holding === undefined) return;
  const balance = unitsOf(holding.balance);
  const { most, least } = balanceOf(world, seen, index);
  // Of recovered gold only what was still there went. A deleted customer's went to the house.
  const fits = customer.deleted ? balance === 0 : balance <= most && balance >= Math.max(0, least);
  if (!fits) {
    throw new Refuted(
      'balance of a customer',
      `${balance} units, not ${least} to ${most} (customer ${index})`,
    );
  }
};

/** Older buys are held where their row was written, and at rest. */
const newest = 40;

/** Customers of whose gold or orders something was written. */
const usersOf = (seen: Snapshot): ReadonlySet<string> => {
  const users = new Set<string>();
  for (const id of seen.changed) {
    const user = seen.holdings.get(id)?.id ?? seen.orders.get(id)?.user;
    if (user !== undefined) users.add(user);
  }
  return users;
};

/** Holds what the database says to what the story believes. @throws Refuted */
export const holdSnapshot = (world: World, seen: Snapshot, isAtRest = false): void => {
  const { buys, customers } = world;
  for (const [index, buy] of buys.entries()) {
    const isHeld = isAtRest || index >= buys.length - newest || seen.changed.has(buy.id);
    if (isHeld) holdBuy(buy, world, seen, isAtRest);
  }
  const users = usersOf(seen);
  for (const [index, { userId }] of customers.entries()) {
    if (isAtRest || users.has(userId)) holdHolding(world, seen, index);
  }
  holdPlans(world, seen, isAtRest);
  holdRewards(world, seen, isAtRest);
  holdGoods(world, seen);
};
