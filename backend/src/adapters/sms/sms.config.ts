import { z } from 'zod';
import { defineVariables } from '../../platform/config/config.ts';

export const smsVariables = defineVariables({
  SMS_PROVIDER: { schema: z.enum(['msg91']).default('msg91'), doc: 'the SMS gateway' },
});
