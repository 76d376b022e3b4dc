import { z } from 'zod';
import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, list, secret, text } from '../../../platform/config/kinds.ts';

/** The neutral gateway's variables in the environment. */
export const sandboxGatewayVariables = defineVariables({
  SANDBOX_GATEWAY_BASE_URL: { schema: httpUrl(), doc: "the sandbox gateway's API" },
  SANDBOX_GATEWAY_KEY_ID: { schema: text(), doc: "the sandbox gateway's key id" },
  SANDBOX_GATEWAY_KEY_SECRET: {
    schema: secret(),
    doc: "the sandbox gateway's key secret, which also signs checkouts",
    secret: true,
  },
  SANDBOX_GATEWAY_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(secret()).min(1, 'must name at least one secret')),
    doc: 'comma-separated secrets that sign its webhooks, each accepted; read by customer alone',
    secret: true,
  },
  SANDBOX_GATEWAY_TIMEOUT_MS: {
    schema: integer(5000, 100, 60_000),
    doc: 'limit of one call to the sandbox gateway in milliseconds',
  },
});

export type SandboxGatewayConfig = Config<typeof sandboxGatewayVariables>;
