import type { Sealer } from '../../platform/crypto/index.ts';

/** The token is the customer's: a plan and its payment orders hold the same sealed value. */
const contextOf = (userId: string) => ({
  purpose: 'mandate',
  column: 'sip_plan.mandate_token',
  row: userId,
});

/** Seals the gateway's token of a customer's mandate, with `sealer` of `vault.forUser`. */
export const sealMandateToken = (sealer: Sealer, userId: string, token: string): string =>
  sealer.seal(token, contextOf(userId));

/** Opens what `sealMandateToken` sealed, for the gateway's adapter and nobody else. */
export const openMandateToken = (sealer: Sealer, userId: string, sealed: string): string =>
  sealer.open(sealed, contextOf(userId));
