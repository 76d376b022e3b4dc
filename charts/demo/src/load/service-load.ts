import { createHmac, randomUUID } from 'node:crypto';
import type { DemoContext } from '../cluster.types.ts';
import { testbed } from '../release.ts';
import type { LoadTarget } from './load.types.ts';

/**
 * Returns a webhook that reports an unknown payment as failed: the first is stored as unmatched,
 * all later ones are duplicates. It goes through signature, inbox and a transaction each time.
 */
const webhookOf = (secret: string) => {
  const id = randomUUID();
  const body = JSON.stringify({
    event: 'payment.failed',
    created_at: new Date().toISOString(),
    data: {
      gateway_order_id: `sbx_order_of_load_${id}`,
      gateway_payment_id: `sbx_pay_of_load_${id}`,
      amount_paise: 100_000,
      currency: 'INR',
      method: 'upi',
      status: 'failed',
    },
  });
  const headers = {
    'content-type': 'application/json',
    'x-gateway-event-id': `load_${id}`,
    'x-gateway-signature': createHmac('sha256', secret).update(body).digest('hex'),
  };
  return { method: 'POST', path: '/v1/webhooks/payment/sandbox', headers, body } as const;
};

/** Returns the load through the ingresses: one client, with 100 rate-limited requests a minute. */
export const serviceLoad = async (context: DemoContext): Promise<readonly LoadTarget[]> => {
  const { customer, admin } = context.readState('ingressEndpoints');
  const secret = await context.kubectl.readSecret(
    `${testbed}-app`,
    'SANDBOX_GATEWAY_WEBHOOK_SECRETS',
  );
  const webhook = { name: 'customer: a webhook', ...customer, ...webhookOf(secret) };
  const health = { name: 'customer: GET /health', ...customer, path: '/v1/health' };
  const operators = { name: 'admin: GET /health', ...admin, path: '/v1/health' };
  const price = { name: 'customer: GET /price/current', ...customer, path: '/v1/price/current' };
  return [
    { ...health, everyMs: 100, connections: 'kept' },
    { ...health, everyMs: 150, connections: 'new' },
    { ...webhook, everyMs: 400, connections: 'kept' },
    { ...webhook, everyMs: 800, connections: 'new' },
    { ...price, everyMs: 2000, connections: 'kept' },
    { ...operators, everyMs: 100, connections: 'kept' },
    { ...operators, everyMs: 200, connections: 'new' },
  ];
};
