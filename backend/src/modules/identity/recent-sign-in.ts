import { msBetween } from '../../platform/clock/clock.ts';
import type { SecretHasher } from '../../platform/crypto/index.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { CustomerPrincipal } from './identity.types.ts';
import { passwordCallerOfSession } from './password-callers.ts';
import { recordRefusedSignIn } from './record-refused-sign-in.ts';
import { announceEnd, type SessionsDeps } from './sessions.ts';
import { findLiveSession, revokeSessions } from './sessions.store.ts';
import { findMpinCaller } from './trusted-devices.store.ts';

/**
 * The number of wrong current MPINs that ends the session, so that a thief of its tokens cannot
 * keep guessing.
 */
const maxWrongMpins = 5;

export interface RecentSignInDeps extends SessionsDeps {
  readonly db: Db;
  readonly hasher: SecretHasher;
}

/**
 * Counts a try as wrong before it is judged. A right try resets the count. Returns the count, or
 * undefined if the session has ended or reached the limit.
 */
const chargeSession = (db: Db, sessionId: string): Promise<{ count: number } | undefined> =>
  selectOne<{ count: number }>(
    db,
    sql`
      UPDATE session SET wrong_mpins = wrong_mpins + 1
      WHERE id = ${sessionId}::uuid AND revoked_at IS NULL AND wrong_mpins < ${maxWrongMpins}::int
      RETURNING wrong_mpins AS count`,
  );

const resetTries = async (db: Db, id: string): Promise<void> => {
  await db.session.updateMany({ where: { id }, data: { wrongMpins: 0 } });
};

/**
 * Returns true if this is the customer's current MPIN. It waits for its turn among the checks of
 * MPINs. The fifth wrong one ends the session.
 */
const isCurrentMpin = (
  deps: RecentSignInDeps,
  principal: CustomerPrincipal,
  currentMpin: string,
  { ip, clientGone }: Pick<RequestContext, 'ip' | 'clientGone'>,
): Promise<boolean> => {
  const { userId, sessionId, phone } = principal;
  return deps.hasher.checkInTurn(
    passwordCallerOfSession(principal, { clientGone }),
    async (verify) => {
      const wrongTries = await chargeSession(deps.db, sessionId);
      if (wrongTries === undefined) return false;
      const owner = await findMpinCaller(deps.db, { phone, deviceId: undefined }, deps.clock.now());
      if (await verify(currentMpin, owner?.mpinHash ?? undefined)) {
        await resetTries(deps.db, sessionId);
        return true;
      }
      const endedSessions = await deps.inTransaction(async (tx) => {
        const locks = wrongTries.count >= maxWrongMpins;
        const sessions = locks
          ? await revokeSessions(tx, { id: sessionId, userId }, 'wrong-mpins', deps.clock.now())
          : [];
        await recordRefusedSignIn(deps, tx, { phone, ip, locks });
        return sessions;
      });
      await announceEnd(
        deps,
        endedSessions.map(({ id }) => id),
      );
      return false;
    },
  );
};

/** Accepts a sign-in within this time as proof that the owner uses the session. */
const recentMs = 15 * 60_000;

/**
 * Requires that the caller signed in recently or presents their MPIN, so that a thief of tokens
 * cannot create further ways to sign in. A refresh is not a sign-in.
 * @throws AppError RECENT_SIGN_IN_REQUIRED, UNAUTHENTICATED for a session that has ended, BUSY.
 */
export const requireRecentSignIn = async (
  deps: RecentSignInDeps,
  principal: CustomerPrincipal,
  currentMpin: string | undefined,
  context: Pick<RequestContext, 'ip' | 'clientGone'>,
): Promise<void> => {
  const { userId, sessionId } = principal;
  const now = deps.clock.now();
  // This reads the session's row instead of the revocation list, since the change outlives the
  // session.
  const session = await findLiveSession(deps.db, sessionId, userId, now);
  if (session === undefined) throw new AppError('UNAUTHENTICATED');
  if (msBetween(session.createdAt, now) < recentMs) return;
  if (currentMpin !== undefined && (await isCurrentMpin(deps, principal, currentMpin, context))) {
    return;
  }
  throw new AppError('RECENT_SIGN_IN_REQUIRED');
};
