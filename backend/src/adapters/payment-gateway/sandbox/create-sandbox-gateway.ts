import {
  done,
  mapDone,
  refused,
  unknown,
  type Outcome,
} from '../../../platform/outcome/outcome.ts';
import { toSafePaise } from '../../../money/index.ts';
import { UNREADABLE, type HttpResponse } from '../../../platform/http-client/index.ts';
import { isSigned, eventIdIn } from '../../webhook-signature.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { basicAuthorization, inPath, withoutNumbers } from '../../http-texts.ts';
import type { RowRules } from '../../read-rows.ts';
import {
  GATEWAY_NOT_FOUND,
  GATEWAY_REFUSED,
  isRead,
  type AccountLists,
  type AccountPageRequest,
  type PaymentGateway,
} from '../port.ts';
import { checkOrder } from '../check-order.ts';
import { accountQuery, createGatewayCalls, type GatewayCalls } from '../create-gateway-calls.ts';
import { readSandboxEvent } from './read-sandbox-event.ts';
import type { SandboxGatewayConfig } from './sandbox-gateway.config.ts';
import * as wire from './sandbox-gateway.wire.ts';

type Signatures = Pick<PaymentGateway, 'verifyCheckout' | 'verifyWebhook'>;

/** Creates the checks of signatures. Checkouts are signed by the key secret, webhooks by their own. */
const createSandboxSignatures = (config: SandboxGatewayConfig): Signatures => ({
  verifyCheckout: ({ gatewayOrderId, gatewayPaymentId, signature }) =>
    Promise.resolve(
      done(
        isSigned({
          message: `${gatewayOrderId}|${gatewayPaymentId}`,
          signature,
          encoding: 'hex',
          secrets: [config.SANDBOX_GATEWAY_KEY_SECRET],
        }),
      ),
    ),

  verifyWebhook({ rawBody, headers }) {
    const isGenuine = isSigned({
      message: rawBody,
      signature: headers['x-gateway-signature'],
      encoding: 'hex',
      secrets: config.SANDBOX_GATEWAY_WEBHOOK_SECRETS,
    });
    if (!isGenuine) return { valid: false };
    return {
      valid: true,
      ...eventIdIn(headers, 'x-gateway-event-id'),
      event: readSandboxEvent(rawBody),
    };
  },
});

const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = wire.errorAnswer.safeParse(json);
  if (status < 400 || !error.success) return undefined;
  const { code, message } = error.data.error;
  const refusalCode = status === 404 ? GATEWAY_NOT_FOUND : GATEWAY_REFUSED;
  return refused(refusalCode, `${code}: ${withoutNumbers(message).slice(0, 200)}`);
};

const createSandboxCalls = (config: SandboxGatewayConfig, deps: AdapterDeps): GatewayCalls =>
  createGatewayCalls(
    {
      name: 'sandbox-gateway',
      baseUrl: config.SANDBOX_GATEWAY_BASE_URL,
      timeoutMs: config.SANDBOX_GATEWAY_TIMEOUT_MS,
      headers: {
        authorization: basicAuthorization(
          config.SANDBOX_GATEWAY_KEY_ID,
          config.SANDBOX_GATEWAY_KEY_SECRET,
        ),
      },
      readRefusal,
    },
    deps,
  );

type Orders = Pick<
  PaymentGateway,
  'createOrder' | 'findOrderByReceipt' | 'getOrder' | 'listPayments' | 'getRefunds' | 'getDisputes'
>;

/** Creates the calls that create orders, and read them with payments, refunds and disputes. */
const createSandboxOrders = ({ get, post, readRows }: GatewayCalls): Orders => ({
  createOrder: ({ receipt, amountPaise, currency, expiresAt }) =>
    post(
      {
        operation: 'create-order',
        path: '/v1/orders',
        json: {
          amount_paise: toSafePaise(amountPaise),
          currency,
          receipt,
          expires_at: expiresAt?.toISOString(),
        },
      },
      wire.orderAnswer,
    ),

  async findOrderByReceipt(receipt) {
    const listed = await get('get-order', '/v1/orders', wire.listAnswer, { receipt });
    const found = readRows('get-order', listed, wire.orderRows(receipt));
    if (found.kind !== 'done') return found;
    const order = found.value.find(isRead);
    return order === undefined && found.value.length > 0 ? unknown(UNREADABLE) : done(order);
  },

  async getOrder(gatewayOrderId) {
    const path = `/v1/orders/${inPath(gatewayOrderId)}`;
    return checkOrder(await get('get-order', path, wire.orderAnswer), gatewayOrderId);
  },

  async listPayments(gatewayOrderId) {
    const path = `/v1/orders/${inPath(gatewayOrderId)}/payments`;
    const listed = await get('list-payments', path, wire.listAnswer);
    return readRows('list-payments', listed, wire.paymentRows(gatewayOrderId));
  },

  async getRefunds({ gatewayPaymentId }) {
    const path = `/v1/payments/${inPath(gatewayPaymentId)}/refunds`;
    const listed = await get('get-refund', path, wire.listAnswer);
    return readRows('get-refund', listed, wire.refundRows(gatewayPaymentId));
  },

  async getDisputes({ gatewayPaymentId }) {
    const path = `/v1/payments/${inPath(gatewayPaymentId)}/disputes`;
    const listed = await get('get-dispute', path, wire.listAnswer);
    return readRows('get-dispute', listed, wire.disputeRows(gatewayPaymentId));
  },
});

/** Creates the lists of the whole account by time. */
const createSandboxLists = ({ getAccountPage }: GatewayCalls): AccountLists => {
  const list =
    <T>(operation: string, path: string, rules: RowRules<T>) =>
    (request: AccountPageRequest) =>
      getAccountPage(
        {
          operation,
          path,
          query: accountQuery(request, wire.pageSize, (at) => at.toISOString()),
        },
        { answer: wire.listAnswer, rules, pageSize: wire.pageSize },
      );
  return {
    payments: list('list-payments', '/v1/payments', wire.accountPayments),
    refunds: list('get-refund', '/v1/refunds', wire.accountRefunds),
    disputes: list('get-dispute', '/v1/disputes', wire.accountDisputes),
  };
};

type Debits = Required<Pick<PaymentGateway, 'debitMandate' | 'debitsHaveKey'>>;

const createSandboxDebits = ({ post }: GatewayCalls): Debits => ({
  debitsHaveKey: true,

  async debitMandate({ gatewayOrderId, mandateToken, amountPaise, currency, idempotencyKey }) {
    const json = {
      order_id: gatewayOrderId,
      mandate_token: mandateToken,
      amount_paise: toSafePaise(amountPaise),
      currency,
      reference: idempotencyKey,
    };
    const call = { operation: 'debit', path: '/v1/debits', json };
    const debited = await post(call, wire.debitAnswer);
    return mapDone(debited, ({ id }) => ({ gatewayDebitId: id }));
  },
});

/**
 * Creates the neutral gateway, which only the sandbox implements (contract: payments-and-webhooks >
 * Neutral gateway).
 */
export const createSandboxGateway = (
  config: SandboxGatewayConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const calls = createSandboxCalls(config, deps);
  return {
    code: 'sandbox',
    publicKey: config.SANDBOX_GATEWAY_KEY_ID,
    credentials: 'test',
    ...createSandboxSignatures(config),
    ...createSandboxOrders(calls),
    ...createSandboxDebits(calls),
    account: createSandboxLists(calls),
    isAvailable: calls.isAvailable,
    close: calls.close,
  };
};
