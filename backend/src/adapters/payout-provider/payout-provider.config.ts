import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';

/** Which payout provider the service pays customers by. */
export const payoutProviderVariables = defineVariables({
  PAYOUT_PROVIDER: {
    schema: z.enum(['razorpayx']).default('razorpayx'),
    doc: 'the payout provider',
  },
});
