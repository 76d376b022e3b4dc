import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';

/** The choice of the provider that pays customers. */
export const payoutProviderVariables = defineVariables({
  PAYOUT_PROVIDER: {
    schema: z.enum(['razorpayx']).default('razorpayx'),
    doc: 'the payout provider',
  },
});
