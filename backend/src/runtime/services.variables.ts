import { defineVariables } from '../platform/config/config.ts';
import { integer } from '../platform/config/kinds.ts';
import { retrySeconds } from './retry-seconds.ts';

/** Further variables of a process that buys or sells gold. */
export const servicesVariables = defineVariables({
  ALLOCATION_RETRY_SECONDS: {
    schema: retrySeconds('5,15,45,90,180'),
    doc: 'waits before an allocation is tried again, in seconds',
  },
  PRICE_TOLERANCE_BPS: {
    schema: integer(100, 0, 10_000),
    doc: "how far our price may be to the house's loss against the provider's, in basis points",
  },
});
