import { z } from 'zod';
import { defineVariables, parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig, webhookVariables } from '../parse-adapter-config.ts';
import type { PayoutProvider } from './port.ts';
import { createRazorpayx } from './razorpayx/create-razorpayx.ts';
import { razorpayxVariables } from './razorpayx/razorpayx.config.ts';

/** The choice of the provider that pays customers. */
export const payoutProviderVariables = defineVariables({
  PAYOUT_PROVIDER: {
    schema: z.enum(['razorpayx']).default('razorpayx'),
    doc: 'the payout provider',
  },
});

const makers = {
  razorpayx: (env: Environment, deps: AdapterDeps) =>
    createRazorpayx(
      parseAdapterConfig(webhookVariables(razorpayxVariables, 'PAYOUT_WEBHOOK_SECRETS', deps), env),
      deps,
    ),
} as const;

/**
 * Creates the payout provider that the environment names. Only the variables of the
 * chosen one are read.
 * @throws ConfigError naming what is missing or wrong
 */
export const createPayoutProvider = (
  env: Environment,
  deps: AdapterDeps,
): PayoutProvider & Closable =>
  makers[parseConfig(payoutProviderVariables, env).PAYOUT_PROVIDER](env, deps);
