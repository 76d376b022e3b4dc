import { randomUUID } from 'node:crypto';
import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Customer, Draw } from './customers.ts';
import { answerOf, isUndecided, type Begun, type Ledger, type Placed } from './ledger.ts';

/** Draws one of the values by their weights. */
const drawOne = <T>(draw: Draw, choices: readonly (readonly [T, number])[]): T => {
  const whole = choices.reduce((sum, [, weight]) => sum + weight, 0);
  let left = draw() * whole;
  for (const [value, weight] of choices) {
    left -= weight;
    if (left < 0) return value;
  }
  throw new Error('there is nothing to draw from');
};

interface LoadOptions {
  readonly customers: readonly Customer[];
  readonly ledger: Ledger;
  readonly sandboxUrl: string;
  readonly draw: Draw;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** The product that customers order. */
  readonly productId: string;
  /** The number of requests at the same time, and below the longest pause between two requests. */
  readonly atOnce: number;
  readonly pauseMs: number;
}

const newSale = ({ call, bankAccountId }: Customer, draw: Draw): (() => Promise<Begun>) => {
  const amount = (0.002 + Math.floor(draw() * 40) / 10_000).toFixed(4);
  const body = {
    unit: 'GRAMS',
    amount,
    bank_account_id: bankAccountId,
    idempotency_key: randomUUID(),
  } as const;
  return () =>
    call(async (api) => {
      const answer = await api.post('/v1/gold/sell', { body });
      return { id: answer.body.order.id, status: answer.status };
    });
};

const newBuy = ({ call }: Customer, draw: Draw): (() => Promise<Begun>) => {
  const amount = String(50 + Math.floor(draw() * 400));
  const body = { unit: 'INR', amount, idempotency_key: randomUUID() } as const;
  return () =>
    call(async (api) => {
      const { status, body: placed } = await api.post('/v1/gold/buy', { body });
      const { order, payment } = placed;
      return {
        id: order.id,
        status,
        gatewayOrderId: payment?.gateway_order_id ?? undefined,
        paymentOrderId: payment?.id,
      };
    });
};

const newPlan = ({ call }: Customer): (() => Promise<Begun>) => {
  const body = {
    amount_inr: '100.00',
    frequency: 'MONTHLY',
    duration_installments: 12,
    idempotency_key: randomUUID(),
  } as const;
  return () =>
    call(async (api) => {
      const answer = await api.post('/v1/gold/sip', { body });
      return { id: answer.body.id, status: answer.status };
    });
};

const newOrder = ({ call }: Customer, productId: string): (() => Promise<Begun>) => {
  const body = {
    items: [{ productId, quantity: 1 }],
    shippingAddress: {
      name: 'Asha Rao',
      phone: '+919812345678',
      line1: '12, Main Road',
      city: 'Kochi',
      state: 'Kerala',
      pincode: '682001',
    },
    idempotencyKey: randomUUID(),
  };
  return () =>
    call(async (api) => {
      const answer = await api.post('/v1/product-orders', { body });
      return { id: answer.body.id, status: answer.status };
    });
};

/** Sends a request that creates something, and updates the ledger with the answer. */
export const sendPlaced = async (ledger: Ledger, placed: Placed): Promise<Begun | undefined> => {
  const { kind } = placed;
  const isRepeat = placed.id !== undefined;
  placed.tries += 1;
  try {
    const begun = await placed.send();
    ledger.count(isRepeat ? `${kind}, again` : kind, String(begun.status));
    if (placed.id !== undefined && placed.id !== begun.id) {
      ledger.find('a repeat was answered otherwise', `${kind} ${placed.id}, then ${begun.id}`);
    }
    if (isRepeat && begun.status !== 200) {
      ledger.find('a repeat was no repeat', `${kind} ${begun.id}: ${begun.status}`);
    }
    if (!isRepeat) {
      placed.id = begun.id;
      ledger.acknowledged.push(placed);
    }
    ledger.open.delete(placed);
    return begun;
  } catch (error) {
    ledger.count(isRepeat ? `${kind}, again` : kind, answerOf(error));
    if (isUndecided(kind, error)) {
      // It is moved behind the others, so that each has its turn.
      ledger.open.delete(placed);
      if (!isRepeat) ledger.open.add(placed);
      return undefined;
    }
    if (isRepeat) ledger.find('an acknowledged request was refused', `${kind}: ${answerOf(error)}`);
    ledger.open.delete(placed);
    return undefined;
  }
};

/**
 * Runs customers until the signal. They buy, pay, sell, start plans, order, repeat requests and
 * read.
 */
export const runLoad = async (options: LoadOptions): Promise<void> => {
  const { customers, ledger, sandboxUrl, draw, timers, signal, productId } = options;
  const someone = (): Customer => {
    const customer = customers[Math.floor(draw() * customers.length)];
    if (customer === undefined) throw new Error('there are no customers');
    return customer;
  };

  const play = async (customer: Customer, begun: Begun): Promise<void> => {
    const { gatewayOrderId, paymentOrderId } = begun;
    if (gatewayOrderId === undefined) return;
    const outcome = drawOne(draw, [
      ['captured', 9],
      ['failed', 1],
    ]);
    const deliver = drawOne(draw, [
      ['webhook', 5],
      ['duplicate', 2],
      ['reordered', 1],
      ['delayed', 1],
      ['none', 2],
    ]);
    const response = await fetch(`${sandboxUrl}/_control/payments/${gatewayOrderId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ outcome, deliver }),
    });
    ledger.count(`payment ${outcome}, told by ${deliver}`, String(response.status));
    // The control API has this form.
    const paid = (await response.json()) as Record<string, string>;
    if (outcome === 'failed' || paymentOrderId === undefined || draw() < 0.5) return;
    const body = {
      gateway_order_id: String(paid['gateway_order_id']),
      gateway_payment_id: String(paid['gateway_payment_id']),
      signature: String(paid['signature']),
    };
    const path = { id: paymentOrderId };
    await counted('verify', () =>
      customer.call((api) => api.post('/v1/payments/orders/{id}/verify', { path, body })),
    );
  };
  const counted = async (
    request: string,
    call: () => Promise<{ readonly status: number }>,
  ): Promise<void> => {
    try {
      ledger.count(request, String((await call()).status));
    } catch (error) {
      ledger.count(request, answerOf(error));
    }
  };
  const begin = async (kind: Placed['kind'], customer: Customer, send: Placed['send']) => {
    const begun = await sendPlaced(ledger, { kind, send, tries: 0 });
    if (kind === 'buy' && begun !== undefined) await play(customer, begun);
  };

  const acts: readonly (readonly [() => Promise<void>, number])[] = [
    [
      async () => {
        const customer = someone();
        await begin('buy', customer, newBuy(customer, draw));
      },
      8,
    ],
    [
      async () => {
        const customer = someone();
        await begin('sale', customer, newSale(customer, draw));
      },
      5,
    ],
    [
      async () => {
        const customer = someone();
        await begin('plan', customer, newPlan(customer));
      },
      0.3,
    ],
    [
      async () => {
        const customer = someone();
        await begin('order of jewellery', customer, newOrder(customer, productId));
      },
      1,
    ],
    [
      async () => {
        const known = ledger.acknowledged[Math.floor(draw() * ledger.acknowledged.length)];
        if (known !== undefined) await sendPlaced(ledger, known);
      },
      3,
    ],
    [
      async () => {
        const [waiting] = ledger.open;
        if (waiting !== undefined) await sendPlaced(ledger, waiting);
      },
      4,
    ],
    [() => counted('portfolio', () => someone().call((api) => api.get('/v1/portfolio'))), 2],
    [() => counted('orders', () => someone().call((api) => api.get('/v1/gold/orders'))), 2],
  ];
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      await drawOne(draw, acts)();
      await timers.sleep(draw() * options.pauseMs, signal);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
};
