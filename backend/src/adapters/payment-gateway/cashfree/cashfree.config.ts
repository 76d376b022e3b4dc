import { z } from 'zod';
import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, list, secret, text } from '../../../platform/config/kinds.ts';

/** Cashfree's variables in the environment. */
export const cashfreeVariables = defineVariables({
  CASHFREE_BASE_URL: {
    schema: httpUrl(),
    doc: "Cashfree's payment gateway API, such as https://api.cashfree.com/pg",
  },
  CASHFREE_CLIENT_ID: { schema: text(), doc: "Cashfree's client id" },
  CASHFREE_CLIENT_SECRET: {
    schema: secret(),
    doc: 'secret of that client id',
    secret: true,
  },
  CASHFREE_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(secret()).min(1, 'must name at least one secret')),
    doc: 'comma-separated client secrets that sign webhooks, each accepted; read by customer alone',
    secret: true,
  },
  CASHFREE_MIN_EXPIRY_SECONDS: {
    schema: integer(960, 0, 86_400),
    doc: 'shortest life of an order in seconds; Cashfree refuses one of 15 minutes or less',
  },
  CASHFREE_TIMEOUT_MS: {
    schema: integer(5000, 100, 15_000),
    doc: 'limit of one call to Cashfree in milliseconds; up to 15000, below the lease of a debit',
  },
});

export type CashfreeConfig = Config<typeof cashfreeVariables>;
