import { defineVariables } from '../../platform/config/config.ts';
import { integer } from '../../platform/config/kinds.ts';

export const adminVariables = defineVariables({
  ADMIN_TOKEN_TTL_SECONDS: {
    schema: integer(8 * 60 * 60, 60, 24 * 60 * 60),
    doc: "life of an operator's token in seconds",
  },
});
