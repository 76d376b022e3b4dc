import type { RevocationList } from '../../platform/auth/revocation-list.ts';
import type { TokenSigner } from '../../platform/auth/jwt.ts';
import { addSeconds, type Clock } from '../../platform/clock/clock.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Session } from './identity.types.ts';
import { createSessionStore } from './sessions.store.ts';

/** Life of an access token (interface, Authentication). */
export const accessTokenSeconds = 15 * 60;
/** Life of a refresh token, counted from its own issue. */
export const refreshTokenSeconds = 30 * 24 * 60 * 60;

export interface SessionsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly tokens: TokenSigner;
  readonly revocations: RevocationList;
}

/** What a client says of its device; one that names none gets a `deviceId` of its own. */
export interface Device {
  readonly deviceId?: string | undefined;
  readonly deviceName?: string | undefined;
}

export interface RefreshToken {
  readonly token: string;
  /** All that is kept of it. */
  readonly hash: string;
  readonly expiresAt: Date;
}

export interface OpenedSession {
  readonly session: Session;
  readonly refreshToken: string;
  /** Sessions that it replaced: to be announced once the transaction has committed. */
  readonly replacedIds: readonly string[];
}

export interface Sessions {
  /** 32 random bytes, issued at `at`. */
  makeRefreshToken(at: Date): RefreshToken;
  /**
   * Opens the device's one session in the caller's transaction, which holds the user's row
   * locked; the session that the device had ends.
   */
  open(db: Db, userId: string, device: Device): Promise<OpenedSession>;
  /** The access token of a session; its `jti` is the session's id. */
  signAccessToken(session: Session, phone: string): string;
  /** Has the access tokens of ended sessions refused from now on. Call it after the commit. */
  announceEnd(sessionIds: readonly string[]): Promise<void>;
}

/** Sessions and their tokens: what every way of signing in ends with. */
export const createSessions = (deps: SessionsDeps): Sessions => {
  const { clock, random, tokens, revocations } = deps;
  const makeRefreshToken = (at: Date): RefreshToken => {
    const token = random.bytes(32).toString('base64url');
    return { token, hash: hashToken(token), expiresAt: addSeconds(at, refreshTokenSeconds) };
  };
  return {
    makeRefreshToken,

    async open(db, userId, { deviceId = random.uuid(), deviceName }) {
      const store = createSessionStore(db);
      const now = clock.now();
      const replacedIds = await store.replaceOnDevice(userId, deviceId, now);
      const refresh = makeRefreshToken(now);
      const session: Session = {
        id: random.uuid(),
        userId,
        deviceId,
        deviceName: deviceName ?? null,
        createdAt: now,
        lastUsedAt: now,
        expiresAt: refresh.expiresAt,
      };
      // A family is one sign-in and all the tokens that came of it.
      await store.insert(session, session.id, refresh.hash);
      return { session, refreshToken: refresh.token, replacedIds };
    },

    signAccessToken: ({ id, userId, deviceId }, phone) =>
      tokens.sign({ sub: userId, phone, deviceId, jti: id }, accessTokenSeconds),

    async announceEnd(sessionIds) {
      if (sessionIds.length > 0) await revocations.revoke(sessionIds, accessTokenSeconds);
    },
  };
};
