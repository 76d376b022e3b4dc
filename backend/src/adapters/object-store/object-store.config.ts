import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';

export const objectStoreVariables = defineVariables({
  OBJECT_STORE: { schema: z.enum(['filesystem']).default('filesystem'), doc: 'the object store' },
});
