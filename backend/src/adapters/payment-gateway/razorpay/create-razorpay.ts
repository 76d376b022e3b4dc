import { done } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { isSigned } from '../../hmac-signature.ts';
import { eventIdIn } from '../../webhook-event-id.ts';
import type { PaymentGateway } from '../port.ts';
import { createRazorpayCalls } from './create-razorpay-calls.ts';
import { createRazorpayDebits } from './create-razorpay-debits.ts';
import { createRazorpayOrders } from './create-razorpay-orders.ts';
import type { RazorpayConfig } from './razorpay.config.ts';
import { credentialsOf, eventIdHeader, signatureHeader } from './razorpay.facts.ts';
import { readRazorpayEvent } from './read-razorpay-event.ts';

/** Razorpay as a payment gateway; the wire's facts are in `razorpay.facts.ts`. */
export const createRazorpay = (
  config: RazorpayConfig,
  deps: AdapterDeps,
): PaymentGateway & Closable => {
  const calls = createRazorpayCalls(config, deps);
  return {
    code: 'razorpay',
    publicKey: config.RAZORPAY_KEY_ID,
    credentials: credentialsOf(config.RAZORPAY_KEY_ID),
    ...createRazorpayOrders(calls),
    ...createRazorpayDebits(calls),

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
        signature: headers[signatureHeader],
        encoding: 'hex',
        secrets: config.RAZORPAY_WEBHOOK_SECRETS,
      });
      if (!isGenuine) return { valid: false };
      const event = readRazorpayEvent(rawBody);
      return { valid: true, ...eventIdIn(headers, eventIdHeader), event };
    },

    isAvailable: () => calls.isAvailable(),
    close: () => calls.close(),
  };
};
