import { unitsOf } from '../model/figures.ts';
import type { Customer, World } from '../model/world.ts';
import { Refuted } from '../story.ts';
import type { Snapshot } from './read-snapshot.ts';

type Order = NonNullable<ReturnType<Snapshot['orders']['get']>>;

const stateOf = ({ status, code }: Order): string => (code === null ? status : `${status} ${code}`);

const openSale = new Set(['PENDING', 'VERIFIED']);

/** An order that may reserve grams: a sale without an outcome, or one under review. */
const mayReserve = ({ type, status }: Order): boolean =>
  status === 'MANUAL_REVIEW' || (type === 'SELL' && openSale.has(status));

/** Holds that nothing stays reserved once nothing is open that could have reserved it. */
const holdNothingReserved = (
  { userId }: Customer,
  orders: readonly Order[],
  reserved: number,
): void => {
  if (reserved === 0 || orders.some(mayReserve)) return;
  throw new Refuted('reserved grams', `${reserved} units of ${userId} are reserved for nothing`);
};

/**
 * Holds what the reversal of a payment reserves: the order's grams, or what is still there of them.
 * It is exact where the order is all of the customer's that changed.
 */
const holdReversed = (
  world: World,
  customer: Customer,
  order: Order,
  after: { readonly reserved: number; readonly balance: number },
): void => {
  const buy = world.buys.find(({ id }) => id === order.id);
  const isNew =
    buy?.lastState === 'ALLOCATED' && stateOf(order) === 'MANUAL_REVIEW PAYMENT_REVERSED';
  if (!isNew || after.balance !== customer.balance) return;
  const available = customer.balance - customer.reserved;
  const wanted = Math.min(unitsOf(order.grams ?? '0'), available);
  const taken = after.reserved - customer.reserved;
  if (taken === wanted) return;
  throw new Refuted(
    'grams of a reversed payment',
    `${taken} units are reserved, not ${wanted}: ${JSON.stringify(order)}`,
  );
};

/** Holds the reserved grams to the orders, before the story takes over both. @throws Refuted */
export const holdReservations = (world: World, seen: Snapshot): void => {
  const written = [...seen.changed].flatMap((id) => seen.orders.get(id) ?? []);
  for (const customer of world.customers) {
    const holding = seen.holdings.get(customer.userId);
    const own = written.filter(({ user }) => user === customer.userId);
    if (holding === undefined || (own.length === 0 && !seen.changed.has(holding.id))) continue;
    const after = { reserved: unitsOf(holding.reserved), balance: unitsOf(holding.balance) };
    const orders = [...seen.orders.values()].filter(({ user }) => user === customer.userId);
    holdNothingReserved(customer, orders, after.reserved);
    const [only] = own;
    if (only !== undefined && own.length === 1) holdReversed(world, customer, only, after);
  }
  const buys = new Map(world.buys.map((buy) => [buy.id, buy]));
  for (const order of written) {
    const buy = buys.get(order.id);
    if (buy !== undefined) buy.lastState = stateOf(order);
  }
};
