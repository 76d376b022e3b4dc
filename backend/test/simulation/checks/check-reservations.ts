import { unitsOf } from '../model/figures.ts';
import type { Customer, World } from '../model/world.ts';
import { Refuted } from '../story.ts';
import type { Snapshot } from './read-snapshot.ts';

type Order = NonNullable<ReturnType<Snapshot['orders']['get']>>;

const stateOf = ({ status, code }: Order): string => (code === null ? status : `${status} ${code}`);

const openSale = new Set(['PENDING', 'VERIFIED']);

/**
 * Returns true for an order that may reserve grams, which is a sale without an outcome, or an order
 * under review.
 */
const mayReserve = ({ type, status }: Order): boolean =>
  status === 'MANUAL_REVIEW' || (type === 'SELL' && openSale.has(status));

/** Checks that no grams are reserved if no open order could have reserved them. */
const checkNothingReserved = (
  { userId }: Customer,
  orders: readonly Order[],
  reserved: number,
): void => {
  if (reserved === 0 || orders.some(mayReserve)) return;
  throw new Refuted('reserved grams', `${reserved} units of ${userId} are reserved for nothing`);
};

/**
 * Checks the grams that the reversal of a payment reserves. They are the order's grams, or the
 * available grams if these are fewer. It is called if no other order of the customer changed, so
 * that the result is exact.
 */
const checkReversed = (
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
  const expected = Math.min(unitsOf(order.grams ?? '0'), available);
  const reserved = after.reserved - customer.reserved;
  if (reserved === expected) return;
  throw new Refuted(
    'grams of a reversed payment',
    `${reserved} units are reserved, not ${expected}: ${JSON.stringify(order)}`,
  );
};

/**
 * Checks the reserved grams against the orders, before the story is updated with both.
 * @throws Refuted
 */
export const checkReservations = (world: World, seen: Snapshot): void => {
  const written = [...seen.changed].flatMap((id) => seen.orders.get(id) ?? []);
  for (const customer of world.customers) {
    const holding = seen.holdings.get(customer.userId);
    const own = written.filter(({ user }) => user === customer.userId);
    if (holding === undefined || (own.length === 0 && !seen.changed.has(holding.id))) continue;
    const after = { reserved: unitsOf(holding.reserved), balance: unitsOf(holding.balance) };
    const orders = [...seen.orders.values()].filter(({ user }) => user === customer.userId);
    checkNothingReserved(customer, orders, after.reserved);
    const [only] = own;
    if (only !== undefined && own.length === 1) checkReversed(world, customer, only, after);
  }
  const buys = new Map(world.buys.map((buy) => [buy.id, buy]));
  for (const order of written) {
    const buy = buys.get(order.id);
    if (buy !== undefined) buy.lastState = stateOf(order);
  }
};
