import { unitsOf } from './model/figures.ts';
import type { Buy, World } from './model/world.ts';
import type { Snapshot } from './checks/read-snapshot.ts';
import { hasFaults, Refuted } from './story.ts';

type Order = NonNullable<ReturnType<Snapshot['orders']['get']>>;

const changedOf = <T>(rows: ReadonlyMap<string, T>, { changed }: Snapshot): T[] =>
  [...changed].flatMap((id) => {
    const row = rows.get(id);
    return row === undefined ? [] : [row];
  });

const unpaid = {
  path: '/v1/gold/buy' as const,
  paymentOrderId: '',
  gatewayOrderIds: [],
  payments: [],
  resolutions: [],
};

const customerOf = (world: World, order: Order): number =>
  world.customers.findIndex(({ userId }) => userId === order.user);

/** Returns the story's buy for an installment that the worker has raised. */
const toInstallment = (world: World, order: Order): Buy => {
  const plan = world.plans.findIndex(({ id }) => id === order.plan);
  const owner = world.plans[plan];
  if (owner === undefined) throw new Refuted('installment', `${order.id} is of no plan`);
  if (order.amount !== owner.amountPaise) {
    throw new Refuted('installment', `is for ${order.amount}, not ${owner.amountPaise} paise`);
  }
  return {
    ...structuredClone(unpaid),
    id: order.id,
    customer: owner.customer,
    plan,
    key: '',
    body: {},
    amountPaise: order.amount,
    grams: undefined,
    placedAt: world.now,
    lockEnds: undefined,
    wasTroubled: false,
  };
};

/** Returns the story's buy for an order whose answer was lost. */
const toBuy = (world: World, order: Order): Buy => ({
  ...structuredClone(unpaid),
  id: order.id,
  customer: customerOf(world, order),
  key: '',
  body: {},
  amountPaise: order.amount,
  grams: order.grams === null ? undefined : unitsOf(order.grams),
  placedAt: world.now,
  lockEnds: world.now + 480_000,
  wasTroubled: true,
});

/** Adds orders that no answer contained, which are the worker's and those whose answer was lost. */
const addOrders = (world: World, seen: Snapshot): void => {
  const known = new Set([...world.buys, ...world.sales].map(({ id }) => id));
  for (const order of changedOf(seen.orders, seen)) {
    if (known.has(order.id)) continue;
    if (order.type === 'SIP_INSTALLMENT') world.buys.push(toInstallment(world, order));
    else if (order.type === 'BUY') world.buys.push(toBuy(world, order));
    else {
      world.sales.push({
        id: order.id,
        customer: customerOf(world, order),
        key: '',
        body: {},
        grams: unitsOf(order.grams ?? '0'),
        proceedsPaise: order.amount,
        placedAt: world.now,
        payoutId: undefined,
      });
    }
  }
};

const addPaymentOrders = (world: World, seen: Snapshot): void => {
  const written = changedOf(seen.paymentOrders, seen);
  if (written.length === 0) return;
  const buys = new Map(world.buys.map((buy) => [buy.id, buy]));
  for (const { id, order, gatewayOrder } of written) {
    const buy = buys.get(order);
    if (buy === undefined) continue;
    // The newest one counts, since an earlier one may be written again when it expires.
    const newest = [...seen.paymentOrders.values()].findLast((one) => one.order === order);
    buy.paymentOrderId = newest?.id ?? id;
    if (gatewayOrder === null || buy.gatewayOrderIds.includes(gatewayOrder)) continue;
    buy.gatewayOrderIds.push(gatewayOrder);
  }
};

const stateOf = (status: string | undefined): 'PENDING' | 'VERIFIED' | 'FAILED' =>
  status === 'VERIFIED' || status === 'FAILED' ? status : 'PENDING';

/**
 * Adds data from the database that answers do not contain, such as orders and payouts of the
 * worker.
 */
export const syncWorld = (world: World, seen: Snapshot): void => {
  addOrders(world, seen);
  addPaymentOrders(world, seen);
  if (hasFaults(world)) {
    for (const buy of world.buys) {
      if (seen.orders.get(buy.id)?.hasGold !== true) buy.wasTroubled = true;
    }
  }
  for (const payout of changedOf(seen.payouts, seen)) {
    const sale = world.sales.find(({ id }) => id === payout.order);
    if (sale !== undefined) sale.payoutId = payout.id;
  }
  for (const customer of world.customers) {
    const holding = seen.holdings.get(customer.userId);
    customer.balance = unitsOf(holding?.balance ?? '0');
    customer.reserved = unitsOf(holding?.reserved ?? '0');
    for (const account of customer.accounts) {
      account.status = stateOf(seen.accounts.get(account.id)?.status);
    }
  }
};
