import type { AdminRole } from '../../src/modules/admins/index.ts';
import { bearerCaller, createCaller, type Answer, type Caller } from './caller.ts';
import type { ServedServices } from './serve-services.ts';
import { eventually } from './eventually.ts';

interface Trader {
  readonly userId: string;
  readonly providerUserId: string;
  readonly call: Caller;
}

export interface Bought extends Trader {
  readonly orderId: string;
  readonly paymentOrderId: string;
  readonly gatewayOrderId: string;
  readonly txId: string;
}

interface Sold extends Trader {
  readonly orderId: string;
  readonly payoutId: string;
}

export const must = (answer: Answer, status: number): Answer => {
  if (answer.status === status) return answer;
  throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
};

let keys = 0;
const newKey = (): string => {
  keys += 1;
  return `books-${String(keys).padStart(6, '0')}`;
};

const partOf = (answer: Answer, name: string): Record<string, unknown> =>
  // The form of an answer is its own route's, checked there.
  answer.body[name] as Record<string, unknown>;

/** Places a buy order, which then waits for its payment. */
const place = async (trader: Trader, rupees = '1000'): Promise<Bought> => {
  const body = { unit: 'INR', amount: rupees, idempotency_key: newKey() };
  const placed = must(await trader.call('POST', '/gold/buy', body), 201);
  const [order, payment] = [partOf(placed, 'order'), partOf(placed, 'payment')];
  return {
    ...trader,
    orderId: String(order['id']),
    txId: String(order['sg_tx_id']),
    paymentOrderId: String(payment['id']),
    gatewayOrderId: String(payment['gateway_order_id']),
  };
};

/** Customers and operators at the served services. */
export const createBooksCustomers = (served: ServedServices) => {
  const { system, factories, url, adminUrl, drain, control } = served;
  const { db } = system;

  const statusOf = async (orderId: string): Promise<string> =>
    (await db.goldOrder.findUniqueOrThrow({ where: { id: orderId } })).status;

  const customer = async (): Promise<Trader> => {
    const { userId, providerUserId } = await factories.approvedCustomer();
    return { userId, providerUserId, call: bearerCaller(url, userId) };
  };

  /** Plays the customer at the checkout. */
  const pay = async ({ gatewayOrderId }: Bought, play: object = {}): Promise<void> => {
    await control('POST', `/payments/${gatewayOrderId}`, { outcome: 'captured', ...play });
  };

  /** Places a buy order, pays it and waits for its allocation. */
  const buy = async (trader?: Trader, rupees?: string): Promise<Bought> => {
    const bought = await place(trader ?? (await customer()), rupees);
    await pay(bought);
    await eventually(async () => {
      await drain();
      const status = await statusOf(bought.orderId);
      if (status !== 'ALLOCATED') throw new Error(`order ${bought.orderId} is ${status}`);
    });
    return bought;
  };

  /** It is verified. Payouts to it stay open until they are played. */
  const addAccount = async ({ call }: Trader): Promise<string> => {
    const accountNumber = `${system.random.digits(8)}9999`;
    const body = { accountNumber, ifsc: 'HDFC0000053', holderName: 'Asha Rao' };
    const id = String(must(await call('POST', '/bank-accounts', body), 201).body['id']);
    await drain();
    await control('POST', `/validations/${id}`, { outcome: 'active' });
    await eventually(async () => {
      const { status } = await db.bankAccount.findUniqueOrThrow({ where: { id } });
      if (status !== 'VERIFIED') throw new Error(`account ${id} is ${status}`);
    });
    return id;
  };

  /** Requests a sale to a new bank account and returns the answer, a success or not. */
  const requestSale = async (trader: Trader, rupees: string): Promise<Answer> => {
    const accountId = await addAccount(trader);
    const amount = { unit: 'INR', amount: rupees, bank_account_id: accountId };
    return trader.call('POST', '/gold/sell', { ...amount, idempotency_key: newKey() });
  };

  return {
    statusOf,
    customer,
    place,
    pay,
    buy,
    requestSale,

    /** Buys gold and sells from it. The payout is sent already if it is small enough. */
    async sell(rupees = '500', boughtFor = '1000'): Promise<Sold> {
      const bought = await buy(undefined, boughtFor);
      const sold = must(await requestSale(bought, rupees), 201);
      await drain();
      const { userId, providerUserId, call } = bought;
      const orderId = String(partOf(sold, 'order')['id']);
      const payoutId = String(partOf(sold, 'payout')['id']);
      return { userId, providerUserId, call, orderId, payoutId };
    },

    /** Plays the provider's outcome of a payout. */
    async playPayout(payoutId: string, outcome: string, more: object = {}): Promise<void> {
      await control('POST', `/payouts/${payoutId}`, { outcome, ...more });
    },

    /** Posts a webhook of the payment gateway. */
    deliverPayment: (body: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
      createCaller(url, headers)('POST', '/webhooks/payment/sandbox', body),

    operator: async (role: AdminRole = 'SUPER_ADMIN'): Promise<Caller> =>
      bearerCaller(adminUrl, (await factories.admin(role)).token),
  };
};
