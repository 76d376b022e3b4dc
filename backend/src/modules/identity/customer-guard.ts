import { z } from 'zod';
import { bearerToken, type TokenSigner } from '../../platform/auth/jwt.ts';
import type { RevocationList } from '../../platform/auth/revocation-list.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Guard } from '../../platform/http/index.ts';
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

/**
 * Admits customers: a valid token, a session that is not on the revocation list, and a subject
 * that is in our own store, neither blocked nor deleted, whatever the cache says; a deleted one
 * only where the route says so (contract: identity-and-kyc > Deletion). An operator's
 * token is signed with the same secret and fails because no customer has its subject.
 */
export const createCustomerGuard = (options: {
  readonly db: Db;
  readonly tokens: TokenSigner;
  readonly revocations: RevocationList;
}): Guard => {
  const { db, tokens, revocations } = options;
  return {
    schemeName: 'bearer',
    scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    async admit(req, access) {
      // Customers have no roles: a route that requires one admits nobody.
      if (access.kind !== 'signed-in') throw new AppError('FORBIDDEN');
      const token = bearerToken(req.get('authorization'));
      const claims = token === undefined ? undefined : tokens.verify(token, claimsSchema);
      if (claims === undefined) throw refusal();
      const { sub: userId, deviceId, jti: sessionId } = claims;
      if (access.admitsDeleted === true) {
        const deletedAt = await findDeletedAt(db, userId);
        // The deletion has ended the session: that refuses every other route.
        if (deletedAt !== undefined) return { userId, deletedAt } satisfies TokenSubject;
      }
      const [phone, revoked] = await Promise.all([
        findActivePhone(db, userId),
        revocations.isRevoked([sessionId]),
      ]);
      if (phone === undefined || revoked) throw refusal();
      const principal: CustomerPrincipal = { userId, phone, deviceId, sessionId };
      return principal;
    },
  };
};
