import { z } from 'zod';
import {
  defineVariables,
  ConfigError,
  parseConfig,
  type Environment,
} from '../../platform/config/config.ts';
import { appMode, list } from '../../platform/config/kinds.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig, webhookVariables } from '../parse-adapter-config.ts';
import type { PaymentGateway } from './port.ts';
import { cashfreeVariables } from './cashfree/cashfree.config.ts';
import { createCashfreeGateway } from './cashfree/create-cashfree-gateway.ts';
import { createRazorpayGateway } from './razorpay/create-razorpay-gateway.ts';
import { razorpayVariables } from './razorpay/razorpay.config.ts';
import { createSandboxGateway } from './sandbox/create-sandbox-gateway.ts';
import { sandboxGatewayVariables } from './sandbox/sandbox-gateway.config.ts';

/** The payment gateways that have an adapter. */
export const gatewayCodes = ['cashfree', 'razorpay', 'sandbox'] as const;

/** The payment gateways that the service can use. Operators choose among them. */
export const paymentGatewayVariables = defineVariables({
  APP_MODE: { schema: appMode(), doc: 'development, test or production' },
  PAYMENT_GATEWAYS: {
    schema: list('').pipe(z.array(z.enum(gatewayCodes))),
    doc: `comma-separated payment gateways: ${gatewayCodes.join(', ')}`,
  },
});

/** The rule which credentials an installation may use for payments. */
export interface CredentialsRule {
  readonly isProduction: boolean;
  /** The variable ALLOW_TEST_PAYMENTS. With it, a production installation uses only test money. */
  readonly allowTestPayments: boolean;
}

interface SeparatedGateways<G> {
  readonly gateways: ReadonlyMap<string, G>;
  /** The gateways that are never chosen or queried, and whose events are not accepted. */
  readonly barred: ReadonlyMap<string, G>;
}

/**
 * Separates the gateways whose credentials do not fit the installation. In production, test
 * credentials do not fit, since test money would buy real gold. With ALLOW_TEST_PAYMENTS, only test
 * credentials fit, since real money would buy no gold.
 */
export const separateByCredentials = <G extends Pick<PaymentGateway, 'credentials'>>(
  configured: ReadonlyMap<string, G>,
  { isProduction, allowTestPayments }: CredentialsRule,
): SeparatedGateways<G> => {
  const fits = ({ credentials }: G): boolean =>
    !isProduction || (credentials === 'test') === allowTestPayments;
  return {
    gateways: new Map([...configured].filter(([, gateway]) => fits(gateway))),
    barred: new Map([...configured].filter(([, gateway]) => !fits(gateway))),
  };
};

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
    createRazorpayGateway(
      parseAdapterConfig(
        webhookVariables(razorpayVariables, 'RAZORPAY_WEBHOOK_SECRETS', deps),
        env,
      ),
      deps,
    ),
} as const;

/**
 * Creates the payment gateways that the environment names, by code and in the order of the list.
 * @throws ConfigError that names every missing or wrong variable, and for the sandbox gateway in
 *   production
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
