import type { Clock } from '../../platform/clock/clock.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { createSessionStore } from './sessions.store.ts';
import type { Sessions } from './sessions.ts';

export interface EndSessionDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly sessions: Sessions;
}

/** The two ways in which a customer ends a session: by its refresh token, and by its id. */
export const createEndSession = ({ inTransaction, clock, sessions }: EndSessionDeps) => ({
  /**
   * Ends the caller's session that a refresh token belongs to, or belonged to before it was
   * exchanged; once more is no error. @throws AppError NOT_FOUND for any other token.
   */
  async logout(userId: string, refreshToken: string): Promise<void> {
    const tokenHash = hashToken(refreshToken);
    const endedIds = await inTransaction(async (db) => {
      const store = createSessionStore(db);
      const current = await store.lockByToken(tokenHash);
      const session = current ?? (await store.findUsedToken(tokenHash))?.session;
      if (session === undefined || session.userId !== userId) throw new AppError('NOT_FOUND');
      return store.revoke({ id: session.id, userId }, 'logout', clock.now());
    });
    await sessions.announceEnd(endedIds);
  },

  /** Ends one of the caller's live sessions. @throws AppError NOT_FOUND for any other id. */
  async revoke(userId: string, id: string): Promise<void> {
    const endedIds = await inTransaction(async (db) => {
      const store = createSessionStore(db);
      const now = clock.now();
      if ((await store.findLive(id, userId, now)) === undefined) throw new AppError('NOT_FOUND');
      return store.revoke({ id, userId }, 'revoked', now);
    });
    await sessions.announceEnd(endedIds);
  },
});
