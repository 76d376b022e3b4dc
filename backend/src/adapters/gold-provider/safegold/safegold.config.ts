import { z } from 'zod';
import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, secret } from '../../../platform/config/kinds.ts';

export const safegoldVariables = defineVariables({
  SAFEGOLD_BASE_URL: {
    schema: httpUrl(),
    doc: "SafeGold's partner API, such as https://partners.safegold.com",
  },
  SAFEGOLD_TOKEN: { schema: secret(), doc: "SafeGold's bearer token", secret: true },
  SAFEGOLD_TIMEOUT_MS: {
    schema: integer(5000, 100, 15_000),
    doc: 'limit of one call to SafeGold in milliseconds; below the lease of a confirm',
  },
  SAFEGOLD_SPOT_FIELD: {
    schema: z
      .string()
      .regex(/^[A-Za-z_]\w{0,63}$/u, 'must be the name of a field')
      .optional(),
    doc: 'field of the buy price that carries a spot price; without it the mean of buy and sell',
  },
  SAFEGOLD_BODY_ENCRYPTION: {
    schema: z.enum(['on', 'off']).default('off'),
    doc: 'whether bodies are encrypted with the key derived from the token',
  },
});

export type SafegoldConfig = Config<typeof safegoldVariables>;
