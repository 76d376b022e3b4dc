import { toSafePaise } from '../../../money/index.ts';
import { mapDone } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import type { PaymentGateway } from '../port.ts';
import { createSandboxGatewayCalls } from './create-sandbox-gateway-calls.ts';
import { createSandboxSignatures } from './create-sandbox-signatures.ts';
import type { SandboxGatewayConfig } from './sandbox-gateway.config.ts';
import * as answers from './sandbox-gateway.schemas.ts';

const inPath = encodeURIComponent;

/**
 * The neutral gateway, which only the sandbox speaks (contract: payments-and-webhooks > Neutral
 * gateway).
 */
export const createSandboxGateway = (
  config: SandboxGatewayConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const { get, post, isAvailable, close } = createSandboxGatewayCalls(config, deps);
  return {
    code: 'sandbox',
    publicKey: config.SANDBOX_GATEWAY_KEY_ID,
    credentials: 'test',
    ...createSandboxSignatures(config),
    isAvailable,
    close,

    createOrder: ({ receipt, amountPaise, currency, expiresAt }) =>
      post(
        'create-order',
        '/v1/orders',
        {
          amount_paise: toSafePaise(amountPaise),
          currency,
          receipt,
          expires_at: expiresAt?.toISOString(),
        },
        answers.orderAnswer,
      ),

    async findOrderByReceipt(receipt) {
      const found = await get('get-order', '/v1/orders', answers.ordersAnswer, { receipt });
      return mapDone(found, ({ items }) => items.find((order) => order.receipt === receipt));
    },

    getOrder: (gatewayOrderId) =>
      get('get-order', `/v1/orders/${inPath(gatewayOrderId)}`, answers.orderAnswer),

    async listPayments(gatewayOrderId) {
      const path = `/v1/orders/${inPath(gatewayOrderId)}/payments`;
      return mapDone(
        await get('list-payments', path, answers.paymentsAnswer),
        ({ items }) => items,
      );
    },

    async getRefunds({ gatewayPaymentId }) {
      const path = `/v1/payments/${inPath(gatewayPaymentId)}/refunds`;
      return mapDone(await get('get-refund', path, answers.refundsAnswer), ({ items }) => items);
    },

    async getDisputes({ gatewayPaymentId }) {
      const path = `/v1/payments/${inPath(gatewayPaymentId)}/disputes`;
      return mapDone(await get('get-dispute', path, answers.disputesAnswer), ({ items }) => items);
    },

    async debitMandate({ gatewayOrderId, mandateToken, amountPaise, currency, idempotencyKey }) {
      const body = {
        order_id: gatewayOrderId,
        mandate_token: mandateToken,
        amount_paise: toSafePaise(amountPaise),
        currency,
        reference: idempotencyKey,
      };
      const debited = await post('debit', '/v1/debits', body, answers.debitAnswer);
      return mapDone(debited, ({ id }) => ({ gatewayDebitId: id }));
    },
  };
};
