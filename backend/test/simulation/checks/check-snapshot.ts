import { unitsOf } from '../model/figures.ts';
import type { Buy, Payment, World } from '../model/world.ts';
import { Refuted } from '../story.ts';
import { checkGoods } from './check-goods.ts';
import { checkPlans } from './check-plans.ts';
import { checkRewards } from './check-rewards.ts';
import type { Snapshot } from './read-snapshot.ts';

const isCaptured = ({ outcome }: Payment): boolean => outcome === 'captured';

const isRight = (buy: Buy, payment: Payment): boolean =>
  isCaptured(payment) && payment.amountPaise === buy.amountPaise && payment.currency === 'INR';

/**
 * Returns true for a buy whose gateway misbehaved and may have reported another amount than it
 * captured.
 */
const isMisread = ({ payments, wasTroubled }: Buy): boolean => wasTroubled && payments.length > 0;

/** Returns the codes of review that an order may have after its events. */
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

/**
 * Returns true if a capture comes too late, because the customer is deleted or the gold was
 * recovered.
 */
const isGone = (buy: Buy, world: World): boolean =>
  world.customers[buy.customer]?.deleted === true || buy.resolutions.includes('RECOVER');

/** Returns the states of an order with a right payment on the way to its gold. */
const paidStates = ({ missed, wasTroubled, resolutions }: Buy): string[] => {
  if (missed === undefined || wasTroubled || resolutions.includes('ALLOCATE')) {
    return ['PAID', 'RETRY_PENDING', 'ALLOCATED'];
  }
  return missed === 'gold' ? ['PAID'] : [];
};

/** Returns the states, with the code of a review, that the order may have now. */
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

/** Returns the states that the order may have once everything in progress has finished. */
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
  // Only reconciliation finds captures that came after the order's end without an event.
  const unreportedStates = known ? [] : ['FAILED', 'PENDING'];
  const single = captured.length === 1 && right.length === 1 && right[0]?.reversedPaise === 0;
  const isBought = (single || right.length > 0) && paidStates(buy).includes('ALLOCATED');
  return [...(isBought ? ['ALLOCATED'] : []), ...reviews, ...unreportedStates];
};

const checkBuy = (buy: Buy, world: World, seen: Snapshot, isAtRest: boolean): void => {
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

/** Returns the limits of a customer's balance, in units of 0.0001 g. */
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

const checkHolding = (world: World, seen: Snapshot, index: number): void => {
  const customer = world.customers[index];
  const holding = seen.holdings.get(customer?.userId ?? '');
  if (customer === undefined || holding === undefined) return;
  const balance = unitsOf(holding.balance);
  const { most, least } = balanceOf(world, seen, index);
  // A recovery takes at most the remaining gold. The gold of a deleted customer goes to the house.
  const fits = customer.deleted ? balance === 0 : balance <= most && balance >= Math.max(0, least);
  if (!fits) {
    throw new Refuted(
      'balance of a customer',
      `${balance} units, not ${least} to ${most} (customer ${index})`,
    );
  }
};

/**
 * The number of the newest buys, which are always checked. Older buys are checked if their row was
 * written, and at rest.
 */
const newestCount = 40;

/** Returns the customers whose holding or orders were written. */
const usersOf = (seen: Snapshot): ReadonlySet<string> => {
  const users = new Set<string>();
  for (const id of seen.changed) {
    const user = seen.holdings.get(id)?.id ?? seen.orders.get(id)?.user;
    if (user !== undefined) users.add(user);
  }
  return users;
};

/**
 * Checks the database against the story.
 * @throws Refuted
 */
export const checkSnapshot = (world: World, seen: Snapshot, isAtRest = false): void => {
  const { buys, customers } = world;
  for (const [index, buy] of buys.entries()) {
    const isChecked = isAtRest || index >= buys.length - newestCount || seen.changed.has(buy.id);
    if (isChecked) checkBuy(buy, world, seen, isAtRest);
  }
  const users = usersOf(seen);
  for (const [index, { userId }] of customers.entries()) {
    if (isAtRest || users.has(userId)) checkHolding(world, seen, index);
  }
  checkPlans(world, seen, isAtRest);
  checkRewards(world, seen, isAtRest);
  checkGoods(world, seen);
};
