import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';

export const ciVariables = defineVariables({
  CI_PROVIDER: { schema: z.enum(['github']).default('github'), doc: 'the CI system' },
});
