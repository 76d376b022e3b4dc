import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';

export const goldProviderVariables = defineVariables({
  GOLD_PROVIDER: { schema: z.enum(['safegold']).default('safegold'), doc: 'the gold provider' },
});
