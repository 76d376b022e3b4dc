import { UNREADABLE, type HttpResponse } from '../../../platform/http-client/index.ts';
import {
  done,
  mapDone,
  refused,
  unknown,
  type Outcome,
} from '../../../platform/outcome/outcome.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import { toSafePaise } from '../../../money/index.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { basicAuthorization, inPath, withoutNumbers } from '../../http-texts.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import { checkAnswer } from '../../check-answer.ts';
import type { RowRules } from '../../read-rows.ts';
import { checkOrder } from '../check-order.ts';
import { accountQuery, createGatewayCalls, type GatewayCalls } from '../create-gateway-calls.ts';
import {
  GATEWAY_NOT_FOUND,
  GATEWAY_REFUSED,
  hasUnread,
  isRead,
  type AccountLists,
  type AccountPageRequest,
  type Listed,
  type PaymentGateway,
  type CreateGatewayOrder,
  type GatewayOrder,
} from '../port.ts';
import type { RazorpayConfig } from './razorpay.config.ts';
import { readRazorpayEvent } from './read-razorpay-event.ts';
import { razorpayErrorAnswer } from '../../razorpay-error.ts';
import * as wire from './razorpay.wire.ts';

/** The calls to Razorpay, whose lists come in pages. */
interface RazorpayCalls extends GatewayCalls {
  readonly clock: Clock;
  /** Gets all pages of a list. The outcome is unknown if the list is longer than the limit. */
  readonly getAll: (operation: string, path: string) => Promise<Outcome<readonly unknown[]>>;
  /** Gets the account's disputes since a time. Unknown if the list is longer than the limit. */
  readonly getDisputes: (since: wire.Stretch) => Promise<Outcome<readonly unknown[]>>;
}

/** Reads the gateway's refusal. Its text is only for our logs, since it may quote the request. */
const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = razorpayErrorAnswer.safeParse(json);
  if (!wire.refusalStatuses.has(status) || !error.success) return undefined;
  const { code, description } = error.data.error;
  const message = `${code}: ${withoutNumbers(description).slice(0, 200)}`;
  return refused(
    wire.saysNotFound(status, description) ? GATEWAY_NOT_FOUND : GATEWAY_REFUSED,
    message,
  );
};

const createRazorpayCalls = (config: RazorpayConfig, deps: AdapterDeps): RazorpayCalls => {
  const calls = createGatewayCalls(
    {
      name: 'razorpay',
      baseUrl: config.RAZORPAY_BASE_URL,
      timeoutMs: config.RAZORPAY_TIMEOUT_MS,
      headers: {
        authorization: basicAuthorization(config.RAZORPAY_KEY_ID, config.RAZORPAY_KEY_SECRET),
      },
      readRefusal,
    },
    deps,
  );
  const getPages = (operation: string, path: string, stretch: wire.Stretch = {}) =>
    readPages((page) =>
      calls.get(operation, path, wire.listAnswer, {
        ...wire.pageQuery(page),
        ...wire.stretchQuery(stretch),
      }),
    );
  return {
    ...calls,
    clock: deps.clock,
    async getAll(operation, path) {
      const { listed, isWhole } = await getPages(operation, path);
      return listed.kind === 'done' && !isWhole ? unknown('LIST_TOO_LONG') : listed;
    },
    getDisputes: (since) =>
      readStretches(since, (stretch) => getPages('get-dispute', wire.paths.disputes, stretch)),
  };
};

interface Pages {
  readonly listed: Outcome<readonly unknown[]>;
  /** False if the list continues after the last page that was read. */
  readonly isWhole: boolean;
}

/** Reads a list page by page, at most `maximumPages` of them. */
const readPages = async (
  getPage: (page: number) => Promise<Outcome<readonly unknown[]>>,
): Promise<Pages> => {
  const rows: unknown[] = [];
  for (let page = 0; page < wire.maximumPages; page += 1) {
    const found = await getPage(page);
    if (found.kind !== 'done') return { listed: found, isWhole: false };
    rows.push(...found.value);
    if (found.value.length < wire.pageSize) return { listed: done(rows), isWhole: true };
  }
  return { listed: done(rows), isWhole: false };
};

/**
 * Reads a list by time, newest first. If a stretch has more pages than are read, the next stretch ends
 * at the time of its oldest row. Rows of that second are listed twice and count once.
 */
const readStretches = async (
  since: wire.Stretch,
  getStretch: (stretch: wire.Stretch) => Promise<Pages>,
): Promise<Outcome<readonly unknown[]>> => {
  const allRows: unknown[] = [];
  const seen = new Set<string>();
  let { to } = since;
  for (let pages = 0; pages < wire.maximumDisputePages; pages += wire.maximumPages) {
    const { listed, isWhole } = await getStretch({ from: since.from, to });
    if (listed.kind !== 'done') return listed;
    const rows = listed.value.map((row) => ({ row, read: wire.idAndTime.safeParse(row).data }));
    allRows.push(...rows.filter(({ read }) => !seen.has(read?.id ?? '')).map(({ row }) => row));
    if (isWhole) return done(allRows);
    for (const { read } of rows) if (read !== undefined) seen.add(read.id);
    const times = rows.flatMap(({ read }) => (read === undefined ? [] : read.created_at.getTime()));
    const oldest = Math.min(...times) / 1000;
    // The next stretch must end earlier than this one, or the loop would not end.
    if (times.length === 0 || oldest === to) return unknown('LIST_TOO_LONG');
    to = oldest;
  }
  return unknown('LIST_TOO_LONG');
};

/** Lists the payments of an order, with the keys of debits (api/orders/fetch-payments). */
const listPaymentsOf = async (
  { get, readRows, clock }: RazorpayCalls,
  gatewayOrderId: string,
): Promise<Outcome<Listed<wire.ListedPayment>>> => {
  const path = wire.paths.paymentsOfOrder(inPath(gatewayOrderId));
  const listed = await get('list-payments', path, wire.listAnswer);
  return readRows('list-payments', listed, wire.paymentRows(gatewayOrderId, clock.now()));
};

type Debits = Required<Pick<PaymentGateway, 'debitMandate' | 'debitsHaveKey'>>;

/**
 * Creates the debits of mandates by recurring payments (api/payments/recurring-payments). They have no
 * idempotency key, so the debit of a key is first looked for among the order's payments. The caller
 * must make one debit of an order at a time, and must not repeat a debit that may still arrive. A
 * mandate is debited only for an order with the phone number of the mandate's owner, because the
 * token comes from a customer's device.
 */
const createRazorpayDebits = (calls: RazorpayCalls): Debits => ({
  debitsHaveKey: false,

  async debitMandate({ gatewayOrderId, mandateToken, amountPaise, currency, idempotencyKey }) {
    const [, customerId, token] = wire.mandateTokenPattern.exec(mandateToken) ?? [];
    if (customerId === undefined || token === undefined) {
      return refused(GATEWAY_REFUSED, 'the mandate token is not cust_ID/token_ID');
    }
    const listed = await listPaymentsOf(calls, gatewayOrderId);
    if (listed.kind !== 'done') return listed;
    const known = listed.value.filter(isRead).find(({ debitKey }) => debitKey === idempotencyKey);
    if (known !== undefined) return done({ gatewayDebitId: known.gatewayPaymentId });
    // An unreadable payment may be this debit, so a further request could debit twice.
    if (hasUnread(listed.value)) return unknown(UNREADABLE);
    const owner = await findOwner(calls, { customerId, gatewayOrderId });
    if (owner.kind !== 'done') return owner;
    const debited = await calls.post(
      {
        operation: 'debit',
        path: wire.paths.recurring,
        json: {
          ...owner.value,
          amount: toSafePaise(amountPaise),
          currency,
          order_id: gatewayOrderId,
          customer_id: customerId,
          token,
          recurring: wire.recurringFlag,
          description: 'Installment',
          notes: { [wire.debitKeyNote]: idempotencyKey },
        },
      },
      wire.recurringAnswer,
    );
    return mapDone(debited, ({ razorpay_payment_id: id }) => ({ gatewayDebitId: id }));
  },
});

/**
 * Finds the email address and phone number of the mandate's owner, which a recurring payment must
 * repeat. The owner must be the order's customer. An owner without a phone number is refused at once,
 * because a later query would not have it either.
 */
const findOwner = async (
  { get }: RazorpayCalls,
  { customerId, gatewayOrderId }: { readonly customerId: string; readonly gatewayOrderId: string },
): Promise<Outcome<{ readonly email: string; readonly contact: string }>> => {
  const customer = checkAnswer(
    await get('get-customer', wire.paths.customer(inPath(customerId)), wire.customerAnswer),
    ({ id }) => id === customerId,
  );
  if (customer.kind !== 'done') return customer;
  const { email, contact } = customer.value;
  if (typeof contact !== 'string' || contact === '') {
    return refused(GATEWAY_REFUSED, "the gateway shows no phone number of the mandate's customer");
  }
  const order = checkAnswer(
    await get('get-order', wire.paths.order(inPath(gatewayOrderId)), wire.orderContactAnswer),
    ({ id }) => id === gatewayOrderId,
  );
  if (order.kind !== 'done') return order;
  if (!wire.isSameContact(order.value.notes[wire.contactNote] ?? '', contact)) {
    return refused(GATEWAY_REFUSED, 'the mandate is of another customer');
  }
  const hasEmail = typeof email === 'string' && email.trim() !== '';
  return done({ email: hasEmail ? email : wire.noEmail, contact });
};

type Orders = Pick<
  PaymentGateway,
  'createOrder' | 'findOrderByReceipt' | 'getOrder' | 'listPayments' | 'getRefunds' | 'getDisputes'
>;

const withoutKey = ({ debitKey: _key, ...payment }: wire.ListedPayment) => payment;

const findOrderByReceipt = async (
  { get, readRows }: RazorpayCalls,
  receipt: string,
): Promise<Outcome<GatewayOrder | undefined>> => {
  const query = wire.receiptQuery(receipt);
  const listed = await get('get-order', wire.paths.orders, wire.listAnswer, query);
  const read = readRows('get-order', listed, wire.orderRows(receipt));
  if (read.kind !== 'done') return read;
  const found = read.value.filter(isRead);
  if (found.length === 0 && hasUnread(read.value)) return unknown(UNREADABLE);
  // One receipt has one order. If it ever has more, the paid order counts.
  return done(found.find(({ status }) => status === 'PAID') ?? found.at(-1));
};

const sendOrder = (
  { post }: RazorpayCalls,
  { receipt, amountPaise, currency, customer }: CreateGatewayOrder,
) =>
  post(
    {
      operation: 'create-order',
      path: wire.paths.orders,
      json: {
        amount: toSafePaise(amountPaise),
        currency,
        receipt,
        notes: { [wire.contactNote]: customer.phone },
      },
    },
    wire.orderAnswer,
  );

/** Creates the calls that create orders, and read them with payments, refunds and disputes. */
const createRazorpayOrders = (calls: RazorpayCalls): Orders => ({
  // Razorpay's orders have no expiry, so the caller has to handle late captures.
  async createOrder(order) {
    const sent = await sendOrder(calls, order);
    if (sent.kind !== 'refused' || !wire.saysReceiptIsUsed(sent.message)) return sent;
    const found = await findOrderByReceipt(calls, order.receipt);
    if (found.kind === 'done' && found.value !== undefined) return done(found.value);
    return unknown('RECEIPT_USED_ORDER_NOT_FOUND');
  },

  findOrderByReceipt: (receipt) => findOrderByReceipt(calls, receipt),

  async getOrder(gatewayOrderId) {
    const path = wire.paths.order(inPath(gatewayOrderId));
    return checkOrder(await calls.get('get-order', path, wire.orderAnswer), gatewayOrderId);
  },

  async listPayments(gatewayOrderId) {
    return mapDone(await listPaymentsOf(calls, gatewayOrderId), (payments) =>
      payments.map((row) => (isRead(row) ? withoutKey(row) : row)),
    );
  },

  async getRefunds({ gatewayPaymentId }) {
    const path = wire.paths.refundsOfPayment(inPath(gatewayPaymentId));
    const listed = await calls.getAll('get-refund', path);
    const rules = wire.refundRows(gatewayPaymentId, calls.clock.now());
    return calls.readRows('get-refund', listed, rules);
  },

  // Razorpay has no list of a payment's disputes, so the account's disputes since the payment are
  // read.
  async getDisputes({ gatewayPaymentId, createdAt }) {
    const listed = await calls.getDisputes(wire.disputesSince(createdAt));
    const rules = wire.disputeRows(gatewayPaymentId, calls.clock.now());
    return calls.readRows('get-dispute', listed, rules);
  },
});

/** Creates the lists of the whole account by time (api/payments, api/refunds, api/disputes). */
const createRazorpayLists = ({ getAccountPage, clock }: RazorpayCalls): AccountLists => {
  const list =
    <T>(operation: string, path: string, rulesAt: (now: Date) => RowRules<T>) =>
    (request: AccountPageRequest) =>
      getAccountPage(
        { operation, path, query: accountQuery(request, wire.pageSize, wire.secondsOf) },
        { answer: wire.listAnswer, rules: rulesAt(clock.now()), pageSize: wire.pageSize },
      );
  return {
    payments: list('list-payments', wire.paths.payments, wire.accountPayments),
    refunds: list('get-refund', wire.paths.refunds, wire.accountRefunds),
    disputes: list('get-dispute', wire.paths.disputes, wire.accountDisputes),
  };
};

/** Creates Razorpay's payment gateway. The assumptions about its API are in `razorpay.wire.ts`. */
export const createRazorpayGateway = (
  config: RazorpayConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const calls = createRazorpayCalls(config, deps);
  return {
    code: 'razorpay',
    publicKey: config.RAZORPAY_KEY_ID,
    credentials: wire.credentialsOf(config.RAZORPAY_KEY_ID),
    ...createRazorpayOrders(calls),
    ...createRazorpayDebits(calls),
    account: createRazorpayLists(calls),

    // payments/payment-gateway/web-integration/standard: hex HMAC-SHA256 under the key secret.
    verifyCheckout: ({ gatewayOrderId, gatewayPaymentId, signature }) =>
      Promise.resolve(
        done(
          isSigned({
            message: `${gatewayOrderId}|${gatewayPaymentId}`,
            signature,
            encoding: 'hex',
            secrets: [config.RAZORPAY_KEY_SECRET],
          }),
        ),
      ),

    verifyWebhook({ rawBody, headers }) {
      const isGenuine = isSigned({
        message: rawBody,
        signature: headers[wire.signatureHeader],
        encoding: 'hex',
        secrets: config.RAZORPAY_WEBHOOK_SECRETS,
      });
      if (!isGenuine) return { valid: false };
      const event = readRazorpayEvent(rawBody, deps.clock.now());
      return { valid: true, ...eventIdIn(headers, wire.eventIdHeader), event };
    },

    isAvailable: () => calls.isAvailable(),
    close: () => calls.close(),
  };
};
