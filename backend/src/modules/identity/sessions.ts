import type { RevocationList } from '../../platform/auth/revocation-list.ts';
import type { TokenSigner } from '../../platform/auth/jwt.ts';
import { addSeconds, msBetween, type Clock } from '../../platform/clock/clock.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Notify } from '../notifications/index.ts';
import {
  countSecurityEvent,
  findSignInHistory,
  recordSecurityEvent,
} from '../security-events/index.ts';
import { isActive, type ActiveUser, type Session, type SignedIn } from './identity.types.ts';
import { findListedDevice } from './listed-sessions.store.ts';
import type { SignInRules } from './sign-in-rules.ts';
import {
  revokeOldestSessions,
  findSessionHistory,
  findUsedToken,
  insertSession,
  lockSessionByToken,
  lockSuccessorsSession,
  replaceSuccessor,
  revokeDeviceSession,
  revokeSessions,
  rotateRefreshToken,
  type UsedToken,
} from './sessions.store.ts';
import { accessTokenSeconds, revokedSeconds, sessionSeconds } from './session-lifetimes.ts';
import { revokeTrust } from './trusted-devices.store.ts';
import { findUser, lockActiveUser } from './users.store.ts';

export interface SessionsDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly tokens: TokenSigner;
  readonly revocations: RevocationList;
  readonly notify: Notify;
  readonly signInRules: SignInRules;
  readonly metrics: Pick<Metrics, 'countBoundReached'>;
}

/** A client's own description of its device. The service assigns a missing `deviceId`. */
export interface Device {
  readonly deviceId?: string | undefined;
  readonly deviceName?: string | undefined;
}

export interface OpenedSession {
  readonly session: Session;
  readonly refreshToken: string;
  /** The ids of the sessions that it replaced. `completeSignIn` ends their access tokens. */
  readonly replacedIds: readonly string[];
  /** The ids of the customer's oldest sessions, which ended because there were too many. */
  readonly crowdedOutIds: readonly string[];
}

/** Returns the time at which a session ends, however often it was refreshed. */
const endOf = ({ createdAt }: Pick<Session, 'createdAt'>): Date =>
  addSeconds(createdAt, sessionSeconds);

/** Limits a refresh token's life from its issue. Each refresh extends the session, until its end. */
const refreshTokenSeconds = 30 * 24 * 60 * 60;

/** Makes a refresh token of 32 random bytes, which is valid until `endsAt` at most. */
const makeRefreshToken = (random: Random, issuedAt: Date, endsAt: Date) => {
  const token = random.bytes(32).toString('base64url');
  const expiresAt = addSeconds(issuedAt, refreshTokenSeconds);
  return { token, hash: hashToken(token), expiresAt: expiresAt < endsAt ? expiresAt : endsAt };
};

/**
 * Returns whether the device is new to the customer, and whether it is their first device. A client
 * that names no device has a new one at every sign-in.
 */
const classifyDevice = async (tx: Db, userId: string, deviceId: string) => {
  const events = await findSignInHistory(tx, userId, deviceId);
  if (events.isKnown) return { isNew: false, isFirst: false };
  const sessions = await findSessionHistory(tx, userId, deviceId);
  return { isNew: !sessions.isKnown, isFirst: !events.hasAny && !sessions.hasAny };
};

/** Records a sign-in on a new device. Notifies the customer, unless it is their first device. */
const recordNewDevice = async (
  deps: Pick<SessionsDeps, 'clock' | 'random' | 'notify'>,
  tx: Db,
  { id, userId, deviceId }: Session,
  { ip, isFirst }: { ip: string; isFirst: boolean },
): Promise<void> => {
  await recordSecurityEvent(tx, deps, { userId, kind: 'device_signed_in', ip, deviceId });
  if (isFirst) return;
  await deps.notify(tx, {
    userId,
    type: 'device_signed_in',
    title: 'New sign-in',
    body:
      'Your account was signed in to on a new device. ' +
      'If this was not you, please end that session and contact support.',
    data: { sessionId: id },
    dedupeKey: `device:${id}`,
  });
};

/**
 * Opens a session of the device in the caller's transaction, which has locked the user. The device's
 * earlier session ends. If the customer then has too many sessions, the oldest end too. `ip` is the
 * client's address.
 */
export const openSession = async (
  deps: Pick<SessionsDeps, 'clock' | 'random' | 'notify'> & {
    readonly signInRules: Pick<SignInRules, 'sessionsPerCustomer'>;
  },
  tx: Db,
  userId: string,
  { deviceId = deps.random.uuid(), deviceName, ip }: Device & { readonly ip: string },
): Promise<OpenedSession> => {
  const { clock, random } = deps;
  const now = clock.now();
  const { isNew, isFirst } = await classifyDevice(tx, userId, deviceId);
  const replacedIds = await revokeDeviceSession(tx, userId, deviceId, now);
  const refresh = makeRefreshToken(random, now, endOf({ createdAt: now }));
  const session: Session = {
    id: random.uuid(),
    userId,
    deviceId,
    deviceName: deviceName ?? null,
    createdAt: now,
    lastUsedAt: now,
    expiresAt: refresh.expiresAt,
  };
  // A family is one sign-in and all refresh tokens that followed it.
  await insertSession(tx, session, session.id, refresh.hash);
  const maxSessions = deps.signInRules.sessionsPerCustomer;
  const crowdedOutIds = await revokeOldestSessions(tx, session, { maxSessions, now });
  if (isNew) await recordNewDevice(deps, tx, session, { ip, isFirst });
  return { session, refreshToken: refresh.token, replacedIds, crowdedOutIds };
};

/**
 * Signs an access token, which expires no later than its session. `jti` is the session's id. The
 * time of issue is the row's `lastUsedAt`, even if the token is signed later. So a session that
 * ended meanwhile stays on the revocation list for as long as its tokens are valid.
 */
export const signAccessToken = (
  { tokens }: Pick<SessionsDeps, 'tokens'>,
  session: Session,
  phone: string,
): string => {
  const { id, userId, deviceId, lastUsedAt } = session;
  const secondsToEnd = msBetween(lastUsedAt, endOf(session)) / 1000;
  const ttlSeconds = Math.min(accessTokenSeconds, secondsToEnd);
  return tokens.sign({ sub: userId, phone, deviceId, jti: id }, ttlSeconds, lastUsedAt);
};

/**
 * Makes every replica refuse the access tokens of ended sessions from now on. Call it after the
 * commit, since the sessions stay live if the transaction fails.
 */
export const announceEnd = async (
  { revocations }: Pick<SessionsDeps, 'revocations'>,
  sessionIds: readonly string[],
): Promise<void> => {
  if (sessionIds.length > 0) await revocations.revoke(sessionIds, revokedSeconds);
};

const idsOf = (sessions: readonly { readonly id: string }[]): string[] =>
  sessions.map(({ id }) => id);

/** Ends the access tokens of the sessions that a committed sign-in ended, and signs its own. */
export const completeSignIn = async (
  deps: Pick<SessionsDeps, 'tokens' | 'revocations' | 'metrics'>,
  user: ActiveUser,
  { session, refreshToken, replacedIds, crowdedOutIds }: OpenedSession,
): Promise<SignedIn> => {
  if (crowdedOutIds.length > 0) deps.metrics.countBoundReached('sessions', crowdedOutIds.length);
  await announceEnd(deps, [...replacedIds, ...crowdedOutIds]);
  return { accessToken: signAccessToken(deps, session, user.phone), refreshToken, user };
};

/** No request is in progress for longer than this. */
const maxRequestMs = 30_000;

/**
 * Returns true for a request that was already in progress when another one used its token. Its
 * client sent two requests at once. A token that is presented after its use may be stolen.
 */
const arrivedBeforeUse = ({ usedAt }: UsedToken, arrivedAt: Date): boolean => {
  const aheadMs = msBetween(arrivedAt, usedAt);
  return aheadMs > 0 && aheadMs < maxRequestMs;
};

/** Allows a client to present a used token once more within this time, if it lost the response. */
const repeatMs = 30_000;

/**
 * Locks the session of a token that was used a moment ago and whose successor was never used. Its
 * client retries because it did not get the response. Returns undefined for any other token.
 */
const lockForRepeat = async (
  { clock }: Pick<SessionsDeps, 'clock'>,
  tx: Db,
  { usedHash, arrivedAt }: { readonly usedHash: string; readonly arrivedAt: Date },
) => {
  const session = await lockSuccessorsSession(tx, usedHash);
  const used = await findUsedToken(tx, usedHash);
  if (session === undefined || used === undefined || used.successorHash === null) return undefined;
  const ageMs = msBetween(used.usedAt, clock.now());
  if (arrivedBeforeUse(used, arrivedAt) || ageMs < 0 || ageMs >= repeatMs) return undefined;
  return { ...session, successorHash: used.successorHash };
};

/** Refuses a token that was used or never existed. A used one ends its family. */
const refuseUsed = async (
  deps: SessionsDeps,
  tx: Db,
  { usedHash, arrivedAt, ip }: { usedHash: string; arrivedAt: Date; ip: string },
) => {
  const used = await findUsedToken(tx, usedHash);
  if (used === undefined || arrivedBeforeUse(used, arrivedAt)) {
    return { kind: 'invalid' as const, endedIds: [] };
  }
  const { familyId, userId } = used.session;
  await countSecurityEvent(tx, deps, { userId, kind: 'refresh_token_reused', ip });
  const endedSessions = await revokeSessions(tx, { familyId }, 'token-reuse', deps.clock.now());
  return { kind: 'invalid' as const, endedIds: idsOf(endedSessions) };
};

/**
 * Exchanges a refresh token for a new pair of tokens. The session keeps its id, and the old token is
 * used up. A used token may be exchanged once more within 30 s if its successor was never used. In
 * every other case, a used token that is presented again ends its whole family. If several requests
 * present one token at once, exactly one of them gets a pair and the others get 401. The family
 * then continues.
 * @throws AppError INVALID_REFRESH_TOKEN, ACCOUNT_UNAVAILABLE.
 */
export const refreshSession = async (
  deps: SessionsDeps,
  refreshToken: string,
  { ip }: Pick<RequestContext, 'ip'>,
): Promise<SignedIn> => {
  const { inTransaction, clock, random } = deps;
  const arrivedAt = clock.now();
  const usedHash = hashToken(refreshToken);
  const result = await inTransaction(async (tx) => {
    const currentSession = await lockSessionByToken(tx, usedHash);
    const repeat = currentSession
      ? undefined
      : await lockForRepeat(deps, tx, { usedHash, arrivedAt });
    const session = currentSession ?? repeat;
    if (session === undefined) return refuseUsed(deps, tx, { usedHash, arrivedAt, ip });
    const user = await findUser(tx, session.userId);
    // The time of use is read as late as possible, so that a request that arrived before it counts
    // as concurrent.
    const at = clock.now();
    if (session.revokedAt !== null || session.expiresAt <= at || endOf(session) <= at) {
      return { kind: 'invalid' as const, endedIds: [] };
    }
    if (user === undefined || !isActive(user)) return { kind: 'unavailable' as const };
    const next = makeRefreshToken(random, at, endOf(session));
    const { hash: nextHash, expiresAt } = next;
    const endedHash = repeat?.successorHash;
    if (endedHash === undefined) {
      await rotateRefreshToken(tx, session, { usedHash, nextHash, at, expiresAt });
    } else {
      await replaceSuccessor(tx, session, { usedHash, endedHash, nextHash, at, expiresAt });
    }
    const rotated = { ...session, lastUsedAt: at, expiresAt };
    return { kind: 'rotated' as const, user, session: rotated, refreshToken: next.token };
  });
  if (result.kind === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
  if (result.kind === 'invalid') {
    await announceEnd(deps, result.endedIds);
    throw new AppError('INVALID_REFRESH_TOKEN');
  }
  const { user, session } = result;
  const accessToken = signAccessToken(deps, session, user.phone);
  return { accessToken, refreshToken: result.refreshToken, user };
};

/**
 * Ends the caller's session to which a current or exchanged refresh token belongs. It succeeds for
 * a session that has already ended. @throws AppError NOT_FOUND for any other token.
 */
export const logout = async (
  deps: SessionsDeps,
  userId: string,
  refreshToken: string,
): Promise<void> => {
  const tokenHash = hashToken(refreshToken);
  const endedIds = await deps.inTransaction(async (tx) => {
    const currentSession = await lockSessionByToken(tx, tokenHash);
    const session = currentSession ?? (await findUsedToken(tx, tokenHash))?.session;
    if (session === undefined || session.userId !== userId) throw new AppError('NOT_FOUND');
    return idsOf(await revokeSessions(tx, { id: session.id, userId }, 'logout', deps.clock.now()));
  });
  await announceEnd(deps, endedIds);
};

/**
 * Ends one of the sessions that the caller sees, with its device's biometric token and the trust in
 * the device. @throws AppError NOT_FOUND for any other id.
 */
export const revokeSession = async (
  deps: SessionsDeps,
  userId: string,
  id: string,
): Promise<void> => {
  const endedIds = await deps.inTransaction(async (tx) => {
    // Under this lock, no sign-in can replace the session meanwhile.
    await lockActiveUser(tx, userId);
    const now = deps.clock.now();
    const deviceId = await findListedDevice(tx, { id, userId }, now);
    if (deviceId === undefined) throw new AppError('NOT_FOUND');
    await revokeTrust(tx, { userId, deviceId }, now);
    return idsOf(await revokeSessions(tx, { id, userId }, 'revoked', now));
  });
  await announceEnd(deps, endedIds);
};
