import { JourneyBroken, type House, type Json } from './ask.ts';
import type { Customer } from './open-account.ts';

/** Holds what a trade needs: the customer's session, keys of its own, and the operators' view. */
export interface Trader {
  readonly house: House;
  readonly customer: Pick<Customer, 'accessToken' | 'bankAccountId'>;
  readonly operatorToken: string;
  readonly newKey: () => string;
  /** Seconds until a webhook must have worked: long before anything polls. */
  readonly patienceSeconds: number;
  readonly observeAllocation: (ms: number) => void;
  readonly observePayout: (ms: number) => void;
  readonly observeEvents: (holds: boolean) => void;
}

/** The events that the sandbox's gateway sends of one capture. */
const eventsOfCapture = 2;

const mine = (trader: Trader) => ({ api: 'customer', token: trader.customer.accessToken }) as const;

const readOrder = (trader: Trader, id: string) =>
  ({ ...mine(trader), method: 'GET', route: '/v1/gold/orders/:id', id }) as const;

const applied = ({ items }: Json): number =>
  items.filter(({ kind, data }: Json) => kind === 'webhook' && data.step === 'applied').length;

/** Counts the webhooks of an order as an operator sees them: each event was applied. */
const checkEvents = (trader: Trader, id: string): void => {
  const { house, operatorToken: token, patienceSeconds, observeEvents } = trader;
  const call = {
    api: 'admin',
    token,
    method: 'GET',
    route: '/v1/orders/:id/timeline',
    id,
  } as const;
  try {
    house.until(call, patienceSeconds, (body) => applied(body) >= eventsOfCapture);
    observeEvents(true);
  } catch (error) {
    observeEvents(false);
    throw error;
  }
};

/** Buys for rupees, pays at the gateway, and waits until its webhook has brought the gold. */
export const buyGold = (trader: Trader, rupees: number): void => {
  const { house, newKey, patienceSeconds, observeAllocation } = trader;
  house.ask({
    ...mine(trader),
    method: 'POST',
    route: '/v1/gold/quote',
    body: { unit: 'INR', amount: String(rupees) },
    status: 201,
  });
  const { order, payment } = house.ask({
    ...mine(trader),
    method: 'POST',
    route: '/v1/gold/buy',
    body: { unit: 'INR', amount: String(rupees), gateway: 'sandbox', idempotency_key: newKey() },
    status: 201,
  });
  const paidAtMs = Date.now();
  house.ask({
    api: 'sandbox',
    method: 'POST',
    route: '/_control/payments/:id',
    id: String(payment.checkout?.gateway_order_id),
    body: { outcome: 'captured', method: 'upi', deliver: 'webhook' },
  });
  const id = String(order.id);
  house.until(readOrder(trader, id), patienceSeconds, ({ status }) => status === 'ALLOCATED');
  observeAllocation(Date.now() - paidAtMs);
  checkEvents(trader, id);
};

/** Sells grams, and waits until the provider's webhook says that the money is there. */
export const sellGold = (trader: Trader, grams: string): void => {
  const { house, customer, newKey, patienceSeconds, observePayout } = trader;
  const { order, payout } = house.ask({
    ...mine(trader),
    method: 'POST',
    route: '/v1/gold/sell',
    body: {
      unit: 'GRAMS',
      amount: grams,
      bank_account_id: customer.bankAccountId,
      idempotency_key: newKey(),
    },
    status: 201,
  });
  const soldAtMs = Date.now();
  if (payout === undefined || payout === null) throw new JourneyBroken('a sale without a payout');
  const call = { ...mine(trader), method: 'GET', route: '/v1/payouts/:id' } as const;
  house.until(
    { ...call, id: String(payout.id) },
    patienceSeconds,
    (body) => body['status'] === 'PAID',
  );
  observePayout(Date.now() - soldAtMs);
  const sold = house.ask(readOrder(trader, String(order.id)));
  if (sold['status'] !== 'COMPLETED') throw new JourneyBroken(`a paid sale is ${sold['status']}`);
};

/** Begins a plan, reads it, and ends it: a customer makes few of them. */
export const followPlan = (trader: Trader): void => {
  const { house, newKey } = trader;
  const terms = { amount_inr: '100.00', frequency: 'MONTHLY', duration_installments: 12 };
  const plan = house.ask({
    ...mine(trader),
    method: 'POST',
    route: '/v1/gold/sip',
    body: { ...terms, idempotency_key: newKey() },
    status: 201,
  });
  const id = String(plan['id']);
  house.ask({ ...mine(trader), method: 'GET', route: '/v1/gold/sip/:id', id });
  const ended = house.ask({
    ...mine(trader),
    method: 'POST',
    route: '/v1/gold/sip/:id/cancel',
    id,
  });
  if (ended['status'] !== 'CANCELLED')
    throw new JourneyBroken(`an ended plan is ${ended['status']}`);
};

/** Orders a piece of jewellery with delivery, and cancels it, so that it need not be packed. */
export const orderJewellery = (trader: Trader, productId: string): void => {
  const { house, newKey } = trader;
  const place = {
    ...mine(trader),
    method: 'POST',
    route: '/v1/product-orders',
    body: {
      items: [{ productId, quantity: 1 }],
      shippingAddress: {
        name: 'Asha Rao',
        phone: '+919812345678',
        line1: '12 MG Road',
        city: 'Bengaluru',
        state: 'Karnataka',
        pincode: '560001',
      },
      idempotencyKey: newKey(),
    },
  } as const;
  const placed = house.ask({ ...place, status: 201 });
  const again = house.ask(place);
  if (again['id'] !== placed['id']) throw new JourneyBroken('the same key made a second order');
  const id = String(placed['id']);
  house.ask({ ...mine(trader), method: 'GET', route: '/v1/product-orders/:id', id });
  house.ask({ ...mine(trader), method: 'POST', route: '/v1/product-orders/:id/cancel', id });
};

/** Looks around as anybody can: the price and its course, the catalogue and a piece of it. */
export const browse = ({ ask }: House, productId: string): void => {
  const visit = { api: 'customer', method: 'GET' } as const;
  const price = ask({ ...visit, route: '/v1/price/current' });
  if (!(price['buyPaise'] >= price['sellPaise'])) throw new JourneyBroken('the spread is negative');
  ask({ ...visit, route: '/v1/price/history', query: '?range=1d' });
  ask({ ...visit, route: '/v1/products' });
  ask({ ...visit, route: '/v1/products/:id', id: productId });
};
