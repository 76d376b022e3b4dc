import { defineVariables } from '../../platform/config/config.ts';
import { integer } from '../../platform/config/kinds.ts';

export const adminVariables = defineVariables({
  SECOND_OPERATOR_PAYOUT_PAISE: {
    schema: integer(0),
    doc: 'where `payouts` is listed: those above this sum need a second operator, in paise',
  },
  ADMIN_TOKEN_TTL_SECONDS: {
    schema: integer(8 * 60 * 60, 60, 24 * 60 * 60),
    doc: "life of an operator's token in seconds",
  },
});
