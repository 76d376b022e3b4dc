import type { z } from 'zod';
import { toSafePaise } from '../../../money/index.ts';
import {
  createHttpClient,
  readAnswer,
  type HttpRequest,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { done, mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { isSigned } from '../../hmac-signature.ts';
import { GATEWAY_NOT_FOUND, GATEWAY_REFUSED, type PaymentGateway } from '../port.ts';
import { readSandboxEvent } from './read-sandbox-event.ts';
import type { SandboxGatewayConfig } from './sandbox-gateway.config.ts';
import * as answers from './sandbox-gateway.schemas.ts';

const inPath = encodeURIComponent;

const readRefusal = ({ status, json }: HttpResponse): Outcome<never> | undefined => {
  const error = answers.errorAnswer.safeParse(json);
  if (status < 400 || !error.success) return undefined;
  const { code, message } = error.data.error;
  const refusalCode = status === 404 ? GATEWAY_NOT_FOUND : GATEWAY_REFUSED;
  return refused(refusalCode, `${code}: ${message.slice(0, 200)}`);
};

/** An event id as the header gives it; one that can't be stored counts as none. */
const eventIdIn = (headers: Readonly<Record<string, unknown>>): { eventId?: string } => {
  const id = headers['x-gateway-event-id'];
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id) ? { eventId: id } : {};
};

/** The neutral gateway of the interface document, which only the sandbox speaks. */
export const createSandboxGateway = (
  config: SandboxGatewayConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const { SANDBOX_GATEWAY_KEY_ID: keyId, SANDBOX_GATEWAY_KEY_SECRET: keySecret } = config;
  const credentials = Buffer.from(`${keyId}:${keySecret}`, 'utf8').toString('base64');
  const client = createHttpClient({
    ...deps,
    name: 'sandbox-gateway',
    baseUrl: config.SANDBOX_GATEWAY_BASE_URL,
    timeoutMs: config.SANDBOX_GATEWAY_TIMEOUT_MS,
    headers: { authorization: `Basic ${credentials}` },
  });

  const send = async <T>(request: HttpRequest, answer: z.ZodType<T>): Promise<Outcome<T>> => {
    const sent = await client.request(request);
    return sent.kind === 'done' ? readAnswer(sent.value, answer, readRefusal) : sent;
  };
  const get = <T>(
    operation: string,
    path: string,
    answer: z.ZodType<T>,
    query: Readonly<Record<string, string>> = {},
  ) => send({ operation, method: 'GET', path, query, safe: true }, answer);
  // The gateway would take a repeat for the same order or debit; whether and when to repeat is
  // decided where the intent is recorded, not here.
  const post = <T>(operation: string, path: string, json: object, answer: z.ZodType<T>) =>
    send({ operation, method: 'POST', path, json, safe: false }, answer);

  return {
    code: 'sandbox',
    publicKey: keyId,

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

    async getRefunds(gatewayPaymentId) {
      const path = `/v1/payments/${inPath(gatewayPaymentId)}/refunds`;
      return mapDone(await get('get-refund', path, answers.refundsAnswer), ({ items }) => items);
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

    verifyCheckout: ({ gatewayOrderId, gatewayPaymentId, signature }) =>
      Promise.resolve(
        done(
          isSigned({
            message: `${gatewayOrderId}|${gatewayPaymentId}`,
            signature,
            encoding: 'hex',
            secrets: [keySecret],
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
      return { valid: true, ...eventIdIn(headers), event: readSandboxEvent(rawBody) };
    },

    close: () => client.close(),
  };
};
