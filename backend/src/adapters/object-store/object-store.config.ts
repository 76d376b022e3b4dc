import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';

export const objectStoreVariables = defineVariables({
  OBJECT_STORE: {
    schema: z.enum(['filesystem', 's3']).default('filesystem'),
    doc: 'the object store: `filesystem`, or `s3` for any S3-compatible server',
  },
});
