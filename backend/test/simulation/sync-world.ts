import { unitsOf } from './model/figures.ts';
import type { World } from './model/world.ts';
import type { Snapshot } from './checks/read-snapshot.ts';
import { isTroubled, Refuted } from './story.ts';

/** Adds the installments that the worker has raised. */
const addInstallments = (world: World, seen: Snapshot): void => {
  const known = new Set(world.buys.map(({ id }) => id));
  for (const order of seen.orders.values()) {
    if (order.type !== 'SIP_INSTALLMENT' || known.has(order.id)) continue;
    const plan = world.plans.findIndex(({ id }) => id === order.plan);
    const owner = world.plans[plan];
    if (owner === undefined) throw new Refuted('installment', `${order.id} is of no plan`);
    if (order.amount !== owner.amountPaise) {
      throw new Refuted('installment', `is for ${order.amount}, not ${owner.amountPaise} paise`);
    }
    world.buys.push({
      id: order.id,
      customer: owner.customer,
      plan,
      key: '',
      body: {},
      amountPaise: order.amount,
      grams: undefined,
      placedAt: world.now,
      lockEnds: undefined,
      paymentOrderId: '',
      gatewayOrderIds: [],
      payments: [],
      resolutions: [],
      wasTroubled: false,
    });
  }
};

/** Adds the orders of sales whose answer was lost, or that were never confirmed. */
const addSales = (world: World, seen: Snapshot): void => {
  const known = new Set(world.sales.map(({ id }) => id));
  for (const order of seen.orders.values()) {
    if (order.type !== 'SELL' || known.has(order.id)) continue;
    const customer = world.customers.findIndex(({ userId }) => userId === order.user);
    world.sales.push({
      id: order.id,
      customer,
      key: '',
      body: {},
      grams: unitsOf(order.grams ?? '0'),
      proceedsPaise: order.amount,
      placedAt: world.now,
      payoutId: undefined,
    });
  }
};

const addLostBuys = (world: World, seen: Snapshot): void => {
  const known = new Set(world.buys.map(({ id }) => id));
  for (const order of seen.orders.values()) {
    if (order.type !== 'BUY' || known.has(order.id)) continue;
    const customer = world.customers.findIndex(({ userId }) => userId === order.user);
    world.buys.push({
      id: order.id,
      customer,
      key: '',
      body: {},
      amountPaise: order.amount,
      grams: order.grams === null ? undefined : unitsOf(order.grams),
      placedAt: world.now,
      lockEnds: world.now + 480_000,
      paymentOrderId: '',
      gatewayOrderIds: [],
      payments: [],
      resolutions: [],
      wasTroubled: true,
    });
  }
};

/** Takes over what steps cannot know by their answers: what the worker made, and the ids of it. */
export const syncWorld = (world: World, seen: Snapshot): void => {
  addInstallments(world, seen);
  addSales(world, seen);
  addLostBuys(world, seen);
  const buys = new Map(world.buys.map((buy) => [buy.id, buy]));
  for (const { id, order, gatewayOrder } of seen.paymentOrders) {
    const buy = buys.get(order);
    if (buy === undefined) continue;
    buy.paymentOrderId = id;
    if (gatewayOrder === null || buy.gatewayOrderIds.includes(gatewayOrder)) continue;
    buy.gatewayOrderIds.push(gatewayOrder);
  }
  for (const buy of world.buys) {
    if (isTroubled(world) && seen.orders.get(buy.id)?.hasGold !== true) buy.wasTroubled = true;
  }
  for (const sale of world.sales) sale.payoutId ??= payoutOf(seen, sale.id);
  for (const customer of world.customers) {
    const holding = seen.holdings.get(customer.userId);
    customer.balance = unitsOf(holding?.balance ?? '0');
    customer.reserved = unitsOf(holding?.reserved ?? '0');
    for (const account of customer.accounts) {
      const status = seen.accounts.get(account.id);
      if (status === 'VERIFIED' || status === 'FAILED') account.status = status;
      else account.status = 'PENDING';
    }
  }
};

const payoutOf = (seen: Snapshot, orderId: string): string | undefined => {
  for (const payout of seen.payouts.values()) if (payout.order === orderId) return payout.id;
  return undefined;
};
