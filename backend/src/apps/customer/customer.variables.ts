import { defineVariables } from '../../platform/config/config.ts';
import { integer } from '../../platform/config/kinds.ts';

/** Further variables of the customer API. */
export const customerVariables = defineVariables({
  SOCKETS_PER_ADDRESS: {
    schema: integer(200, 1, 100_000),
    doc: 'open sockets of the price feed that one address (an IPv6 /64) may have on a replica',
  },
});
