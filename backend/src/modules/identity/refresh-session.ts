import { msBetween, type Clock } from '../../platform/clock/clock.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { isActive } from './identity.types.ts';
import { createSessionStore, type UsedToken } from './sessions.store.ts';
import type { Sessions } from './sessions.ts';
import type { SignedIn } from './sign-in-with-code.ts';
import { createUserStore } from './users.store.ts';

export interface RefreshSessionDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly sessions: Sessions;
}

/** Longer than a request is ever under way. */
const maxRequestMs = 30_000;

/**
 * True for a request that was already under way when another one used its token: a client that
 * asked twice at once. Only a token presented after its use has got into wrong hands.
 */
const lostRace = ({ usedAt }: UsedToken, arrivedAt: Date): boolean => {
  const aheadMs = msBetween(arrivedAt, usedAt);
  return aheadMs > 0 && aheadMs < maxRequestMs;
};

/**
 * Exchanges a refresh token for a new pair; the session and its id stay, the old token is used
 * up. A used token presented again ends its whole family (decisions, section 4). Of requests that
 * present one token at once exactly one gets a pair, the others 401, and the family lives on.
 * @throws AppError INVALID_REFRESH_TOKEN, ACCOUNT_UNAVAILABLE.
 */
export const createRefreshSession =
  (deps: RefreshSessionDeps) =>
  async (refreshToken: string): Promise<SignedIn> => {
    const { inTransaction, clock, sessions } = deps;
    const arrivedAt = clock.now();
    const usedHash = hashToken(refreshToken);
    const result = await inTransaction(async (db) => {
      const store = createSessionStore(db);
      const session = await store.lockByToken(usedHash);
      if (session === undefined) {
        const used = await store.findUsedToken(usedHash);
        if (used === undefined || lostRace(used, arrivedAt)) {
          return { kind: 'invalid' as const, endedIds: [] };
        }
        const { familyId } = used.session;
        const endedIds = await store.revoke({ familyId }, 'token-reuse', clock.now());
        return { kind: 'invalid' as const, endedIds };
      }
      const user = await createUserStore(db).findById(session.userId);
      // As late as can be: whoever arrived before was under way when the token was used.
      const at = clock.now();
      if (session.revokedAt !== null || session.expiresAt <= at) {
        return { kind: 'invalid' as const, endedIds: [] };
      }
      if (user === undefined || !isActive(user)) return { kind: 'unavailable' as const };
      const next = sessions.makeRefreshToken(at);
      const { hash: nextHash, expiresAt } = next;
      await store.rotate(session, { usedHash, nextHash, at, expiresAt });
      return { kind: 'rotated' as const, user, session, refreshToken: next.token };
    });
    if (result.kind === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
    if (result.kind === 'invalid') {
      await sessions.announceEnd(result.endedIds);
      throw new AppError('INVALID_REFRESH_TOKEN');
    }
    const { user, session } = result;
    const accessToken = sessions.signAccessToken(session, user.phone);
    return { accessToken, refreshToken: result.refreshToken, user };
  };
