import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';
import { appMode, list } from '../../platform/config/kinds.ts';

/** The payment gateways that have an adapter. */
export const gatewayCodes = ['cashfree', 'razorpay', 'sandbox'] as const;

/** The payment gateways that the service can use; operators choose among them. */
export const paymentGatewayVariables = defineVariables({
  APP_MODE: { schema: appMode(), doc: 'development, test or production' },
  PAYMENT_GATEWAYS: {
    schema: list('').pipe(z.array(z.enum(gatewayCodes))),
    doc: `comma-separated payment gateways: ${gatewayCodes.join(', ')}`,
  },
});
