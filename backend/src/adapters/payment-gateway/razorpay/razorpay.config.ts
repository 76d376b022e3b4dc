import { z } from 'zod';
import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, list, secret, text } from '../../../platform/config/kinds.ts';

/** Razorpay's variables in the environment. */
export const razorpayVariables = defineVariables({
  RAZORPAY_BASE_URL: {
    schema: httpUrl(),
    doc: "Razorpay's API without its version, such as https://api.razorpay.com",
  },
  RAZORPAY_KEY_ID: {
    schema: text(),
    doc: "Razorpay's API key id, which the customer's app shows to its checkout",
  },
  RAZORPAY_KEY_SECRET: {
    schema: secret(),
    doc: "Razorpay's API key secret, which also signs checkouts",
    secret: true,
  },
  RAZORPAY_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(secret()).min(1, 'must name at least one secret')),
    doc: 'comma-separated secrets that sign its webhooks, each accepted; read by customer alone',
    secret: true,
  },
  RAZORPAY_TIMEOUT_MS: {
    schema: integer(5000, 100, 15_000),
    doc: 'limit of one call to Razorpay in milliseconds; up to 15000, below the lease of a debit',
  },
});

export type RazorpayConfig = Config<typeof razorpayVariables>;
