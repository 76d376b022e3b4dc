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

/** The credentials with which an installation may take payments. */
export interface CredentialsRule {
  readonly isProduction: boolean;
  /** ALLOW_TEST_PAYMENTS: production's shape, with test money alone. */
  readonly allowTestPayments: boolean;
}

interface SeparatedGateways<G> {
  readonly gateways: ReadonlyMap<string, G>;
  /** Never chosen, queried or believed: nothing that they report is a payment here. */
  readonly barred: ReadonlyMap<string, G>;
}

/**
 * Separates the gateways whose credentials do not fit the installation. In production these are
 * gateways with test credentials, since their payments are no money and would buy gold. With
 * ALLOW_TEST_PAYMENTS they are all others, since real money would buy nothing.
 */
export const separateByCredentials = <G extends Pick<PaymentGateway, 'credentials'>>(
  all: ReadonlyMap<string, G>,
  { isProduction, allowTestPayments }: CredentialsRule,
): SeparatedGateways<G> => {
  const fits = ({ credentials }: G): boolean =>
    !isProduction || (credentials === 'test') === allowTestPayments;
  return {
    gateways: new Map([...all].filter(([, gateway]) => fits(gateway))),
    barred: new Map([...all].filter(([, gateway]) => !fits(gateway))),
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
 * Creates the payment gateways that the environment names, by code, in its order.
 * @throws ConfigError naming what is missing or wrong, and production refuses the sandbox gateway
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
