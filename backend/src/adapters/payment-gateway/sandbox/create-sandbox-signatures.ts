import { done } from '../../../platform/outcome/outcome.ts';
import { isSigned } from '../../hmac-signature.ts';
import { eventIdIn } from '../../webhook-event-id.ts';
import type { PaymentGateway } from '../port.ts';
import { readSandboxEvent } from './read-sandbox-event.ts';
import type { SandboxGatewayConfig } from './sandbox-gateway.config.ts';

type Signatures = Pick<PaymentGateway, 'verifyCheckout' | 'verifyWebhook'>;

/** Checks the gateway's signatures: the checkout's under its key secret, webhooks' under theirs. */
export const createSandboxSignatures = (config: SandboxGatewayConfig): Signatures => ({
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
