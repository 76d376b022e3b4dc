import { defineVariables } from '../platform/config/config.ts';
import { flag, integer, optionalInteger } from '../platform/config/kinds.ts';
import { retrySeconds } from './retry-seconds.ts';

/** Further variables of a process that buys or sells gold. */
export const servicesVariables = defineVariables({
  ALLOW_TEST_PAYMENTS: {
    schema: flag(false),
    doc: 'in production: take payments with test credentials alone; needs test systems of gold and payouts',
  },
  ALLOCATION_RETRY_SECONDS: {
    schema: retrySeconds('5,15,45,90,180'),
    doc: 'waits before an allocation is tried again, in seconds',
  },
  PAYOUT_NEW_ACCOUNT_HOURS: {
    schema: optionalInteger(1, 8760),
    doc: 'payouts to a bank account added less long ago wait for an operator, in hours; off unless set',
  },
  PAYOUT_NAME_MATCH_FLOOR: {
    schema: optionalInteger(0, 100),
    doc: 'payouts to a lower name match (0 to 100), or none, wait for an operator; off unless set',
  },
  PAYOUT_DAILY_AUTO_PAISE: {
    schema: optionalInteger(0),
    doc: 'payouts beyond this sum wait for an operator, in paise for a customer and IST day; off unless set',
  },
  REFERRAL_REWARD_PAISE: {
    schema: integer(0, 0, 10_000_000),
    doc: "a customer's reward for referring another one, in paise, at the other one's first allocated buy",
  },
  PRICE_TOLERANCE_BPS: {
    schema: integer(100, 0, 10_000),
    doc: "how far our price may be to the house's loss against the provider's, in basis points",
  },
});
