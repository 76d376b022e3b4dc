import { ConfigError, parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig, webhookVariables } from '../parse-adapter-config.ts';
import { cashfreeVariables } from './cashfree/cashfree.config.ts';
import { createCashfreeGateway } from './cashfree/create-cashfree-gateway.ts';
import { paymentGatewayVariables } from './payment-gateway.config.ts';
import type { PaymentGateway } from './port.ts';
import { createRazorpay } from './razorpay/create-razorpay.ts';
import { razorpayVariables } from './razorpay/razorpay.config.ts';
import { createSandboxGateway } from './sandbox/create-sandbox-gateway.ts';
import { sandboxGatewayVariables } from './sandbox/sandbox-gateway.config.ts';

const makers = {
  cashfree: (env: Environment, deps: AdapterDeps) =>
    createCashfreeGateway(
      parseAdapterConfig(
        webhookVariables(cashfreeVariables, 'CASHFREE_WEBHOOK_SECRETS', deps),
        env,
      ),
      deps,
    ),
  sandbox: (env: Environment, deps: AdapterDeps) =>
    createSandboxGateway(
      parseAdapterConfig(
        webhookVariables(sandboxGatewayVariables, 'SANDBOX_GATEWAY_WEBHOOK_SECRETS', deps),
        env,
      ),
      deps,
    ),
  razorpay: (env: Environment, deps: AdapterDeps) =>
    createRazorpay(
      parseAdapterConfig(
        webhookVariables(razorpayVariables, 'RAZORPAY_WEBHOOK_SECRETS', deps),
        env,
      ),
      deps,
    ),
} as const;

/**
 * The payment gateways that the environment names, by code, in its order.
 * @throws ConfigError naming what is missing or wrong; production refuses the sandbox gateway
 */
export const createPaymentGateways = (
  env: Environment,
  deps: AdapterDeps,
): ReadonlyMap<string, PaymentGateway & Closable> => {
  const { APP_MODE: mode, PAYMENT_GATEWAYS: codes } = parseConfig(paymentGatewayVariables, env);
  if (mode === 'production' && codes.includes('sandbox')) {
    throw new ConfigError('PAYMENT_GATEWAYS: the sandbox gateway is refused in production');
  }
  return new Map(codes.map((code) => [code, makers[code](env, deps)]));
};
