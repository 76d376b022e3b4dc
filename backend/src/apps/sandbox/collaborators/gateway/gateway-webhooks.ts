import type { Clock } from '../../../../platform/clock/clock.ts';
import type { Random } from '../../../../platform/ids/random.ts';
import type { GatewayEvent, GatewayProtocol } from '../../core/create-checkout-simulator.ts';
import { hexHmac } from '../../core/credentials.ts';
import type { GatewayPayment } from '../../core/gateway-store.ts';

interface NeutralProtocolOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly keySecret: string;
  readonly webhookSecret: string;
}

/**
 * Signs the neutral gateway's webhooks and checkouts (contract: payments-and-webhooks > Neutral
 * gateway).
 */
export const createNeutralProtocol = (options: NeutralProtocolOptions): GatewayProtocol => {
  const { clock, random, keySecret, webhookSecret } = options;

  const write = (
    event: string,
    payment: GatewayPayment,
    changes: { readonly amount_paise?: number; status?: string; reference?: string } = {},
  ): GatewayEvent => {
    const data = {
      gateway_order_id: payment.order_id,
      gateway_payment_id: payment.id,
      amount_paise: payment.amount_paise,
      currency: payment.currency,
      method: payment.method,
      status: payment.status,
      ...changes,
    };
    const body = JSON.stringify({ event, created_at: clock.now().toISOString(), data });
    const headers = {
      'x-gateway-signature': hexHmac(webhookSecret, body),
      'x-gateway-event-id': `sbx_evt_${random.uuid().replaceAll('-', '')}`,
    };
    return { event, headers, body };
  };

  return {
    name: 'sandbox-gateway',
    webhookPath: '/v1/webhooks/payment/sandbox',
    paymentEvents: (payment) =>
      (payment.status === 'captured' ? ['payment.captured', 'order.paid'] : ['payment.failed']).map(
        (event) => write(event, payment),
      ),
    // The amount and the id of a reversal replace the payment's.
    refundEvent: ({ id, amount_paise, status }, { payment }) =>
      write('refund.processed', payment, { amount_paise, status, reference: id }),
    disputeEvent: ({ id, amount_paise, status }, { payment }) =>
      write('dispute.lost', payment, { amount_paise, status, reference: id }),
    checkoutSignature: ({ id, order_id: orderId }) => hexHmac(keySecret, `${orderId}|${id}`),
  };
};
