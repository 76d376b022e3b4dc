import { z } from 'zod';
import { bearerToken, type TokenSigner } from '../../platform/auth/jwt.ts';
import type { RevocationList } from '../../platform/auth/revocation-list.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { noteCustomer, type Guard } from '../../platform/http/index.ts';
import type { CustomerPrincipal, TokenSubject } from './identity.types.ts';
import { findActivePhone, findDeletedAt } from './users.store.ts';

/** The access token's payload, with the session's id as `jti`. */
const claimsSchema = z.object({
  sub: z.uuid(),
  phone: z.string(),
  deviceId: z.string(),
  jti: z.uuid(),
});

const refusal = (): AppError =>
  new AppError('UNAUTHENTICATED', { headers: { 'www-authenticate': 'Bearer' } });

interface CustomerGuardDeps {
  readonly db: Db;
  readonly tokens: TokenSigner;
  readonly revocations: RevocationList;
}

type Claims = z.output<typeof claimsSchema>;

const readClaims = ({ tokens }: CustomerGuardDeps, header?: string): Claims | undefined => {
  const token = bearerToken(header);
  return token === undefined ? undefined : tokens.verify(token, claimsSchema);
};

const findPrincipal = async (
  { db, revocations }: CustomerGuardDeps,
  { sub: userId, deviceId, jti: sessionId }: Claims,
): Promise<CustomerPrincipal | undefined> => {
  const [phone, revoked] = await Promise.all([
    findActivePhone(db, { userId, sessionId }),
    revocations.isRevoked([sessionId]),
  ]);
  return phone === undefined || revoked ? undefined : { userId, phone, deviceId, sessionId };
};

/**
 * Finds the customer of an `Authorization` header on a public route, which also serves requests
 * without one. Returns undefined for a header that the guard would refuse.
 */
export type IdentifyCustomer = (
  authorization: string | undefined,
) => Promise<CustomerPrincipal | undefined>;

export const createIdentifyCustomer =
  (deps: CustomerGuardDeps): IdentifyCustomer =>
  async (authorization) => {
    const claims = readClaims(deps, authorization);
    return claims === undefined ? undefined : findPrincipal(deps, claims);
  };

/**
 * Admits a customer with a valid token whose session is not on the revocation list. The customer
 * must be in the database and neither blocked nor deleted, whatever the cache says. A route may
 * also admit deleted customers (contract: identity-and-kyc > Deletion). An operator's token is
 * signed with the same secret and is refused because no customer has its subject.
 */
export const createCustomerGuard = (deps: CustomerGuardDeps): Guard => ({
  schemeName: 'bearer',
  scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  async admit(req, access) {
    // Customers have no roles, so a route that requires one admits no customer.
    if (access.kind !== 'signed-in') throw new AppError('FORBIDDEN');
    const claims = readClaims(deps, req.get('authorization'));
    if (claims === undefined) throw refusal();
    const { sub: userId } = claims;
    if (access.admitsDeleted === true) {
      const deletedAt = await findDeletedAt(deps.db, userId);
      // The session is not checked, since the deletion has ended it.
      if (deletedAt !== undefined) return { userId, deletedAt } satisfies TokenSubject;
    }
    const principal = await findPrincipal(deps, claims);
    if (principal === undefined) throw refusal();
    noteCustomer(userId);
    return principal;
  },
});
