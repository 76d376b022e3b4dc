import type { AdapterDeps } from '../../src/adapters/adapter-deps.ts';
import { createPaymentGateways } from '../../src/adapters/payment-gateway/create-payment-gateways.ts';
import type { PaymentGateway } from '../../src/adapters/payment-gateway/port.ts';

/** Every gateway's adapter, before a server that answers what a test says. */
export interface AnswerGateways {
  /** @throws Error for an unknown code. */
  of(code: string): PaymentGateway;
  close(): Promise<void>;
}

/** Opens the adapters. A test opens them again, so that no circuit is left open. */
export const openAnswerGateways = (serverUrl: string, deps: AdapterDeps): AnswerGateways => {
  const gateways = createPaymentGateways(
    {
      APP_MODE: 'test',
      PAYMENT_GATEWAYS: 'sandbox,razorpay,cashfree',
      SANDBOX_GATEWAY_BASE_URL: serverUrl,
      SANDBOX_GATEWAY_KEY_ID: 'key',
      SANDBOX_GATEWAY_KEY_SECRET: 'dev-only-gateway-key-secret',
      SANDBOX_GATEWAY_WEBHOOK_SECRETS: 'dev-only-gateway-webhook-secret',
      RAZORPAY_BASE_URL: serverUrl,
      RAZORPAY_KEY_ID: 'key',
      RAZORPAY_KEY_SECRET: 'dev-only-razorpay-key-secret',
      RAZORPAY_WEBHOOK_SECRETS: 'dev-only-razorpay-webhook-secret',
      CASHFREE_BASE_URL: serverUrl,
      CASHFREE_CLIENT_ID: 'client',
      CASHFREE_CLIENT_SECRET: 'dev-only-cashfree-client-secret',
      CASHFREE_WEBHOOK_SECRETS: 'dev-only-cashfree-client-secret',
    },
    deps,
  );
  return {
    of(code) {
      const gateway = gateways.get(code);
      if (gateway === undefined) throw new Error(`there is no gateway ${code}`);
      return gateway;
    },
    async close() {
      for (const gateway of gateways.values()) await gateway.close();
    },
  };
};
