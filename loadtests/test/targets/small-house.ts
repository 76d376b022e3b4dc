import express, { type Express, type Request, type Response } from 'express';

/** The faults that a house can have. */
export interface HouseFlaws {
  /** Loses the first of the two events of every payment, though the gold comes. */
  readonly losesEvent?: boolean;
  /** Loses both, so that the gold comes when somebody polls, after this time. */
  readonly allocatesAfterMs?: number;
  /** The provider's webhook of a payout never comes. */
  readonly neverPaysOut?: boolean;
  /** The books differ from a collaborator's, or break a rule, or a sum drifts. */
  readonly findsMismatch?: boolean;
  readonly breaksRule?: boolean;
  readonly drifts?: boolean;
  /** Takes its time to reconcile, and refuses whoever looks more than 60 times. */
  readonly reconcilesAfterMs?: number;
  /** A repeat of an order is another order. */
  readonly ordersTwice?: boolean;
  /** Customers buy for less than they sell for. */
  readonly wrongSpread?: boolean;
  /** Delays what people look at and trade with. Whoever signs up is served at once. */
  readonly slowMs?: number;
  /** Answers a route with 500. */
  readonly failsRoute?: string;
}

interface Order {
  readonly id: string;
  readonly kind: 'buy' | 'sale';
  paidAtMs?: number;
}

const mount = (
  app: Express,
  method: 'get' | 'post',
  paths: readonly string[],
  body: unknown,
): void => {
  for (const path of paths) {
    app[method](path, (_request, response) => void response.json(body));
  }
};

/** Signs in, and reads lists that nobody looks into: what needs no state. */
const mountRest = (app: Express, flaws: HouseFlaws): void => {
  const tokens = { accessToken: 'a-1', refreshToken: 'r-1', token: 't-1', user: { id: 'u-1' } };
  const list = { items: [{ id: 'i-1', status: 'VERIFIED' }], total: 1 };
  const price = { buyPaise: flaws.wrongSpread === true ? 90 : 110, sellPaise: 100 };
  mount(app, 'get', ['/_control/sms'], { messages: [{ otp: '123456' }] });
  mount(app, 'get', ['/_control/webhooks'], { deliveries: [] });
  mount(app, 'get', ['/v1/price/current', '/v1/price/history'], price);
  mount(app, 'get', ['/v1/kyc', '/v1/bank-accounts', '/v1/products', '/v1/products/:id'], list);
  mount(app, 'get', ['/v1/dashboard/overview', '/v1/reviews', '/v1/orders', '/v1/payouts'], list);
  mount(app, 'get', ['/v1/product-orders', '/v1/users', '/v1/gold/sip/:id'], list);
  mount(app, 'get', ['/v1/product-orders/:id', '/api/v1/accounting/gold/:name'], list);
  const logins = ['/v1/auth/login', '/v1/auth/verify-otp', '/api/v1/accounting/auth/login'];
  mount(app, 'post', [...logins, '/v1/auth/send-otp', '/v1/kyc/submit'], tokens);
  mount(app, 'post', ['/v1/kyc/:id/claim', '/v1/kyc/:id/approve'], {});
  mount(app, 'post', ['/v1/gold/sip/:id/cancel', '/v1/product-orders/:id/cancel'], {
    status: 'CANCELLED',
  });
  for (const path of ['/v1/kyc/documents', '/v1/bank-accounts', '/v1/gold/quote', '/v1/gold/sip']) {
    app.post(path, (_request, response) => void response.status(201).json({ id: 'i-2' }));
  }
};

const checksOf = (flaws: HouseFlaws) => [
  { id: 'holding_drift', status: 'OK', count: 0, samples: [] },
  flaws.findsMismatch === true
    ? { id: 'payment_amount_mismatch', status: 'FINDINGS', count: 1, samples: [{ orderId: 'o-1' }] }
    : { id: 'payment_amount_mismatch', status: 'OK', count: 0, samples: [] },
];

/** Reconciliation found nothing before the run, and finds its flaws after it. */
const mountBooks = (app: Express, flaws: HouseFlaws): void => {
  app.get('/v1/reconciliation', (_request, response) => {
    response.json({ checks: checksOf({}) });
  });
  let readyAtMs = 0;
  let looks = 0;
  app.post('/v1/reconciliation/runs', (request, response) => {
    readyAtMs = Date.now() + (flaws.reconcilesAfterMs ?? 0);
    response.status(202).json({ id: (request.body as { kind: string }).kind });
  });
  app.get('/v1/reconciliation/runs/:id', (_request, response) => {
    const broken = flaws.breaksRule === true;
    looks += 1;
    if (flaws.reconcilesAfterMs !== undefined && looks > 60) response.status(429);
    response.json({
      status: Date.now() < readyAtMs ? 'RUNNING' : 'DONE',
      report: { checks: checksOf(flaws) },
      databaseRules: {
        rules: [
          { says: 'gold adds up', status: broken ? 'FINDINGS' : 'OK', count: Number(broken) },
        ],
        drift: [{ place: 'held_grams', amount: flaws.drifts === true ? '0.0001' : '0' }],
      },
    });
  });
};

/** Orders, whose gold comes by the gateway's events. */
const mountTrade = (app: Express, flaws: HouseFlaws): void => {
  const orders = new Map<string, Order>();
  const keys = new Map<string, string>();
  const place = (kind: Order['kind'] = 'buy'): Order => {
    const order = { id: `o-${orders.size + 1}`, kind };
    orders.set(order.id, order);
    return order;
  };
  const statusOf = ({ kind, paidAtMs = Number.POSITIVE_INFINITY }: Order): string => {
    if (kind === 'sale') return 'COMPLETED';
    return Date.now() - paidAtMs >= (flaws.allocatesAfterMs ?? 0) ? 'ALLOCATED' : 'PENDING';
  };
  const find = (request: Request): Order => {
    const order = orders.get(String(request.params['id']));
    if (order === undefined) throw new Error('no such order');
    return order;
  };

  app.post('/v1/gold/buy', (_request, response) => {
    const { id } = place();
    response.status(201).json({ order: { id }, payment: { checkout: { gateway_order_id: id } } });
  });
  app.post('/_control/payments/:id', (request, response) => {
    find(request).paidAtMs = Date.now();
    response.json({});
  });
  app.get('/v1/orders/:id/timeline', (request, response) => {
    const order = find(request);
    const lost = flaws.losesEvent === true || flaws.allocatesAfterMs !== undefined;
    const events = order.paidAtMs === undefined ? [] : ['order.paid', 'payment.captured'];
    const items = events
      .slice(Number(lost))
      .flatMap((event) =>
        ['received', 'applied'].map((step) => ({ kind: 'webhook', data: { event, step } })),
      );
    response.json({ items });
  });
  app.post('/v1/gold/sell', (_request, response) => {
    const { id } = place('sale');
    response.status(201).json({ order: { id }, payout: { id } });
  });
  app.get('/v1/payouts/:id', (_request, response) => {
    response.json({ status: flaws.neverPaysOut === true ? 'PROCESSING' : 'PAID' });
  });
  app.get('/v1/gold/orders/:id', (request, response) => {
    const order = find(request);
    response.json({ status: statusOf(order) });
  });
  app.post('/v1/product-orders', (request, response) => {
    const key = String((request.body as Record<string, unknown>)['idempotencyKey']);
    const known = keys.get(key);
    const id = known !== undefined && flaws.ordersTwice !== true ? known : place().id;
    keys.set(key, id);
    response.status(known === undefined ? 201 : 200).json({ id });
  });
};

const slowPaths = /^\/v1\/(?:price|products|gold|orders)\b/u;

/** Creates all APIs and the sandbox of a house as one server, except for its flaws. */
export const createSmallHouse = (flaws: HouseFlaws = {}): Express => {
  const app = express();
  app.use(express.json());
  app.use((request: Request, response: Response, next) => {
    if (request.path === flaws.failsRoute) response.status(500).json({});
    else setTimeout(next, slowPaths.test(request.path) ? (flaws.slowMs ?? 0) : 0);
  });
  mountTrade(app, flaws);
  mountBooks(app, flaws);
  mountRest(app, flaws);
  return app;
};
