import type { Closable } from '../../src/adapters/adapter-deps.ts';
import { createPaymentGateways } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import type {
  CreateGatewayOrder,
  GatewayOrder,
  PaymentGateway,
  VerifiedWebhook,
} from '../../src/adapters/payment-gateway/port.ts';
import { fromSafePaise } from '../../src/money/index.ts';
import type { Outcome } from '../../src/platform/outcome/outcome.ts';
import { startAdapterFixture, valueOf, type AdapterFixture } from './adapter-fixture.ts';
import type { GatewayDriver } from './gateway-drivers.ts';

/** A payment that was played at the sandbox's checkout. */
export interface Played {
  readonly gateway_payment_id: string;
  readonly signature: string;
}

/** A webhook that the sandbox sent, as its controls list it. */
interface Sent {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Webhook = Omit<Sent, 'subject'>;

/** The amount of an order that a test does not choose. */
export const amountPaise = 100_050;

/** A gateway at a separate sandbox, for a contract test. */
export interface GatewayFixture extends AdapterFixture {
  /** The adapter of this test. */
  readonly gateway: PaymentGateway;
  /** Opens another adapter, whose circuit breaker has seen nothing yet. */
  open(more?: Readonly<Record<string, string>>): PaymentGateway;
  /** Opens a gateway client that gives up after 200 ms. */
  openImpatient(): PaymentGateway;
  newOrder(paise?: number): CreateGatewayOrder;
  create(paise?: number): Promise<GatewayOrder>;
  /** Creates an order that is to be debited under a mandate, whose word decides how that ends. */
  createMandated(word: string): Promise<GatewayOrder>;
  /** Plays the customer: a capture without webhooks unless `play` says otherwise. */
  pay(order: GatewayOrder, play?: object): Promise<Played>;
  reverse(
    kind: 'refunds' | 'disputes',
    payment: Played,
    paise: number,
  ): Promise<{ readonly reference: string }>;
  /** Lists the webhooks of an order, oldest first. */
  sent(order: GatewayOrder): Promise<readonly Sent[]>;
  /** Plays a payment with its webhooks. @throws Error when the sandbox sent none */
  capture(play?: object): Promise<{
    readonly order: GatewayOrder;
    readonly payment: Played;
    readonly first: Sent;
    readonly all: readonly Sent[];
  }>;
  verify(webhook: Webhook, by?: PaymentGateway): VerifiedWebhook;
  /** Signs a body as the gateway does, by its own secret unless another is given. */
  signed(body: string, secret?: string): Webhook;
  /**
   * Debits an order under a mandate.
   * @throws Error if the gateway can debit none
   */
  debit(
    order: GatewayOrder,
    word: string,
    idempotencyKey: string,
  ): Promise<Outcome<{ readonly gatewayDebitId: string }>>;
  /** Forgets all at the sandbox and opens the adapter again, before each test. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a sandbox for a gateway. */
export const startGatewayFixture = async (driver: GatewayDriver): Promise<GatewayFixture> => {
  const fixture = await startAdapterFixture(driver.collaborator, {
    // Nobody listens there: what the sandbox sends is read from its controls.
    customerBaseUrl: 'http://127.0.0.1:1',
    webhookBackoffMs: [],
    settleMs: 20,
  });
  let opened: (PaymentGateway & Closable)[] = [];
  let receipts = 0;

  const open = (more: Readonly<Record<string, string>> = {}): PaymentGateway => {
    const found = createPaymentGateways({ ...fixture.env, ...more }, fixture.deps).get(driver.code);
    if (found === undefined)
      throw new Error(`the fixture's environment does not name ${driver.code}`);
    opened.push(found);
    return found;
  };
  let gateway = open();

  const newOrder = (paise = amountPaise): CreateGatewayOrder => {
    receipts += 1;
    return {
      receipt: `contract-${receipts}`,
      amountPaise: fromSafePaise(paise),
      currency: 'INR',
      // Beyond the day that a test lets the gateway's clock run ahead.
      expiresAt: new Date(fixture.clock.now().getTime() + 172_800_000),
      customer: { id: 'customer-1', phone: '+919876543210' },
    };
  };
  const create = async (paise?: number): Promise<GatewayOrder> =>
    valueOf(await gateway.createOrder(newOrder(paise)));

  const tokenOf = (word: string): string => {
    if (driver.mandateToken === undefined) throw new Error(`${driver.code} debits no mandate`);
    return driver.mandateToken(word);
  };
  const createMandated = async (word: string): Promise<GatewayOrder> =>
    valueOf(await gateway.createOrder({ ...newOrder(), mandateToken: tokenOf(word) }));

  // The controls' forms are the sandbox's own, checked by its own tests.
  const pay = async (order: GatewayOrder, play: object = {}): Promise<Played> => {
    const body = { outcome: 'captured', deliver: 'none', ...play };
    return (await fixture.control('POST', `/payments/${order.gatewayOrderId}`, body)) as Played;
  };
  const sent = async (order: GatewayOrder): Promise<readonly Sent[]> => {
    const { deliveries } = (await fixture.control('GET', '/webhooks')) as { deliveries: Sent[] };
    return deliveries.filter(({ subject }) => subject === order.gatewayOrderId).toReversed();
  };
  const closeAdapters = () => Promise.all(opened.map((one) => one.close()));

  return {
    ...fixture,
    get gateway() {
      return gateway;
    },
    open,
    openImpatient: () => open({ [driver.timeoutVariable]: '200' }),
    newOrder,
    create,
    createMandated,
    pay,
    async reverse(kind, payment, paise) {
      const path = `/${kind}/${payment.gateway_payment_id}`;
      return (await fixture.control('POST', path, { amountPaise: paise })) as { reference: string };
    },
    sent,
    async capture(play = {}) {
      const order = await create();
      const payment = await pay(order, { deliver: 'webhook', ...play });
      const [first, ...rest] = await sent(order);
      if (first === undefined) throw new Error('the sandbox sent no webhook of the payment');
      return { order, payment, first, all: [first, ...rest] };
    },
    verify: ({ body, headers }, by = gateway) =>
      by.verifyWebhook({ rawBody: Buffer.from(body), headers }),
    signed: (body, secret = driver.secret) => ({ body, headers: driver.sign(body, secret) }),
    debit(order, word, idempotencyKey) {
      if (gateway.debitMandate === undefined) throw new Error(`${driver.code} debits no mandate`);
      return gateway.debitMandate({
        gatewayOrderId: order.gatewayOrderId,
        mandateToken: tokenOf(word),
        amountPaise: order.amountPaise,
        currency: order.currency,
        idempotencyKey,
      });
    },
    async reset() {
      await fixture.control('POST', '/reset');
      await closeAdapters();
      opened = [];
      gateway = open();
    },
    async stop() {
      await closeAdapters();
      await fixture.sandbox.stop();
    },
  };
};
