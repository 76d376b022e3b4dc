import { z } from 'zod';
import { defineVariables, parseConfig, type Environment } from '../../platform/config/config.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { parseAdapterConfig, webhookVariables } from '../parse-adapter-config.ts';
import type { PayoutProvider } from './port.ts';
import { createRazorpayx } from './razorpayx/create-razorpayx.ts';
import { razorpayxVariables } from './razorpayx/razorpayx.config.ts';

/** The variables that choose the payout provider. */
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
 * Creates the payout provider that the environment names. Only that provider's variables are read.
 * @throws ConfigError that names every missing or wrong variable
 */
export const createPayoutProvider = (
  env: Environment,
  deps: AdapterDeps,
): PayoutProvider & Closable =>
  makers[parseConfig(payoutProviderVariables, env).PAYOUT_PROVIDER](env, deps);
