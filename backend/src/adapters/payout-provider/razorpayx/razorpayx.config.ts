import { z } from 'zod';
import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, list, secret, text } from '../../../platform/config/kinds.ts';

export const razorpayxVariables = defineVariables({
  RAZORPAYX_BASE_URL: {
    schema: httpUrl(),
    doc: "RazorpayX's API without its version, such as https://api.razorpay.com",
  },
  RAZORPAYX_KEY_ID: { schema: text(), doc: "RazorpayX's API key id" },
  RAZORPAYX_KEY_SECRET: { schema: secret(), doc: 'secret of that API key', secret: true },
  RAZORPAYX_ACCOUNT_NUMBER: {
    schema: z.string().regex(/^[A-Za-z0-9]{5,35}$/u, 'must be an account number'),
    doc: 'our own RazorpayX account, from which payouts and penny-drops are paid',
  },
  PAYOUT_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(secret()).min(1, 'must name at least one secret')),
    doc: 'comma-separated secrets that sign payout webhooks, each accepted; read by customer alone',
    secret: true,
  },
  RAZORPAYX_TIMEOUT_MS: {
    schema: integer(5000, 100, 15_000),
    doc: 'limit of one call to RazorpayX in milliseconds',
  },
});

export type RazorpayxConfig = Config<typeof razorpayxVariables>;
