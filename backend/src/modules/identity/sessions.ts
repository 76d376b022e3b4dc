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
  findSignedInDevices,
  recordSecurityEvent,
} from '../security-events/index.ts';
import { isActive, type ActiveUser, type Session, type SignedIn } from './identity.types.ts';
import { findListedDevice } from './listed-sessions.store.ts';
import type { SignInRules } from './sign-in-rules.ts';
import {
  revokeOldestSessions,
  findDevicesOfSessions,
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
  readonly metrics: Pick<Metrics, 'countBound'>;
}

/** A client's own description of its device. A device without a `deviceId` gets one. */
export interface Device {
  readonly deviceId?: string | undefined;
  readonly deviceName?: string | undefined;
}

export interface OpenedSession {
  readonly session: Session;
  readonly refreshToken: string;
  /** Sessions that it replaced. `completeSignIn` ends their tokens after the commit. */
  readonly replacedIds: readonly string[];
  /** The customer's oldest sessions, which it ended because there were too many. */
  readonly crowdedOutIds: readonly string[];
}

/** Returns the moment past which nothing extends a session. */
const endOf = ({ createdAt }: Pick<Session, 'createdAt'>): Date =>
  addSeconds(createdAt, sessionSeconds);

/** Counted from the token's own issue, so a session that is used lives on, until its own end. */
const refreshTokenSeconds = 30 * 24 * 60 * 60;

/** Makes a refresh token of 32 random bytes, good until `endsAt` at most. Its hash is stored. */
const makeRefreshToken = (random: Random, at: Date, endsAt: Date) => {
  const token = random.bytes(32).toString('base64url');
  const expiresAt = addSeconds(at, refreshTokenSeconds);
  return { token, hash: hashToken(token), expiresAt: expiresAt < endsAt ? expiresAt : endsAt };
};

/** Returns how the device is known: a client that names none has a new one every time. */
const isNewDevice = async (tx: Db, userId: string, deviceId: string) => {
  const events = await findSignedInDevices(tx, userId, deviceId);
  if (events.isKnown) return { isNew: false, isFirst: false };
  const sessions = await findDevicesOfSessions(tx, userId, deviceId);
  return { isNew: !sessions.isKnown, isFirst: !events.hasAny && !sessions.hasAny };
};

/** Records a sign-in on a new device, and notifies the customer, except for the first device. */
const noteNewDevice = async (
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
 * Opens the device's one session in the caller's transaction, which holds the user's row locked.
 * The session that the device had ends, and so do the customer's oldest where there are too many.
 * `ip` is the client's address.
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
  const { isNew, isFirst } = await isNewDevice(tx, userId, deviceId);
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
  // A family is one sign-in and all the tokens that came of it.
  await insertSession(tx, session, session.id, refresh.hash);
  const most = deps.signInRules.sessionsPerCustomer;
  const crowdedOutIds = await revokeOldestSessions(tx, session, { most, now });
  if (isNew) await noteNewDevice(deps, tx, session, { ip, isFirst });
  return { session, refreshToken: refresh.token, replacedIds, crowdedOutIds };
};

/**
 * Signs the access token of a session, which never outlives it. `jti` is the session's id. The time
 * of issue is the one in the row (`lastUsedAt`), however late it is signed: a session that ended
 * meanwhile stays on the revocation list for as long as its tokens could be valid.
 */
export const signAccessToken = (
  { tokens }: Pick<SessionsDeps, 'tokens'>,
  session: Session,
  phone: string,
): string => {
  const { id, userId, deviceId, lastUsedAt } = session;
  const leftSeconds = msBetween(lastUsedAt, endOf(session)) / 1000;
  const ttlSeconds = Math.min(accessTokenSeconds, leftSeconds);
  return tokens.sign({ sub: userId, phone, deviceId, jti: id }, ttlSeconds, lastUsedAt);
};

/**
 * Makes every replica refuse the access tokens of ended sessions from now on. Call it after the
 * commit: before it, a failing transaction would leave live sessions refused.
 */
export const announceEnd = async (
  { revocations }: Pick<SessionsDeps, 'revocations'>,
  sessionIds: readonly string[],
): Promise<void> => {
  if (sessionIds.length > 0) await revocations.revoke(sessionIds, revokedSeconds);
};

const idsOf = (sessions: readonly { readonly id: string }[]): string[] =>
  sessions.map(({ id }) => id);

/** Ends what a committed sign-in replaced, and signs its access token. */
export const completeSignIn = async (
  deps: Pick<SessionsDeps, 'tokens' | 'revocations' | 'metrics'>,
  user: ActiveUser,
  { session, refreshToken, replacedIds, crowdedOutIds }: OpenedSession,
): Promise<SignedIn> => {
  if (crowdedOutIds.length > 0) deps.metrics.countBound('sessions', crowdedOutIds.length);
  await announceEnd(deps, [...replacedIds, ...crowdedOutIds]);
  return { accessToken: signAccessToken(deps, session, user.phone), refreshToken, user };
};

/** No request is under way for longer than this. */
const maxRequestMs = 30_000;

/**
 * Returns true for a request that was already in progress when another one used its token: the
 * client sent two at once. Only a token that is presented after its use has been stolen.
 */
const lostRace = ({ usedAt }: UsedToken, arrivedAt: Date): boolean => {
  const aheadMs = msBetween(arrivedAt, usedAt);
  return aheadMs > 0 && aheadMs < maxRequestMs;
};

/** Presents a used token again after no more than this where the answer to its use was lost. */
const repeatMs = 30_000;

/**
 * Locks the session of a token that was used a moment ago and whose successor was never used: the
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
  if (lostRace(used, arrivedAt) || ageMs < 0 || ageMs >= repeatMs) return undefined;
  return { ...session, successorHash: used.successorHash };
};

/** Refuses a token that is used up or never was. A used one ends its family. */
const refuseUsed = async (
  deps: SessionsDeps,
  tx: Db,
  { usedHash, arrivedAt, ip }: { usedHash: string; arrivedAt: Date; ip: string },
) => {
  const used = await findUsedToken(tx, usedHash);
  if (used === undefined || lostRace(used, arrivedAt)) {
    return { kind: 'invalid' as const, endedIds: [] };
  }
  const { familyId, userId } = used.session;
  await countSecurityEvent(tx, deps, { userId, kind: 'refresh_token_reused', ip });
  const ended = await revokeSessions(tx, { familyId }, 'token-reuse', deps.clock.now());
  return { kind: 'invalid' as const, endedIds: idsOf(ended) };
};

/**
 * Exchanges a refresh token for a new pair. The session and its id stay, the old token is used up.
 * One whose successor was never used is exchanged once more within 30 s. In every other case a used
 * token presented again ends its whole family. Of requests that present one token at once exactly
 * one gets a pair, the others 401, and the family lives on.
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
    const current = await lockSessionByToken(tx, usedHash);
    const repeat = current ? undefined : await lockForRepeat(deps, tx, { usedHash, arrivedAt });
    const session = current ?? repeat;
    if (session === undefined) return refuseUsed(deps, tx, { usedHash, arrivedAt, ip });
    const user = await findUser(tx, session.userId);
    // The time is read as late as possible: a request that arrived before was in progress when the
    // token was used.
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
 * Ends the caller's session that a refresh token belongs to, or belonged to before it was
 * exchanged. Calling it again is no error. @throws AppError NOT_FOUND for any other token.
 */
export const logout = async (
  deps: SessionsDeps,
  userId: string,
  refreshToken: string,
): Promise<void> => {
  const tokenHash = hashToken(refreshToken);
  const endedIds = await deps.inTransaction(async (tx) => {
    const current = await lockSessionByToken(tx, tokenHash);
    const session = current ?? (await findUsedToken(tx, tokenHash))?.session;
    if (session === undefined || session.userId !== userId) throw new AppError('NOT_FOUND');
    return idsOf(await revokeSessions(tx, { id: session.id, userId }, 'logout', deps.clock.now()));
  });
  await announceEnd(deps, endedIds);
};

/**
 * Ends one of the caller's sessions, live or on a device that could still sign in without a code.
 * The device's biometric token and the trust in it end too. @throws AppError NOT_FOUND for any other id.
 */
export const revokeSession = async (
  deps: SessionsDeps,
  userId: string,
  id: string,
): Promise<void> => {
  const endedIds = await deps.inTransaction(async (tx) => {
    // A sign-in that replaces the session has ended or waits: none slips in between.
    await lockActiveUser(tx, userId);
    const now = deps.clock.now();
    const deviceId = await findListedDevice(tx, { id, userId }, now);
    if (deviceId === undefined) throw new AppError('NOT_FOUND');
    await revokeTrust(tx, { userId, deviceId }, now);
    return idsOf(await revokeSessions(tx, { id, userId }, 'revoked', now));
  });
  await announceEnd(deps, endedIds);
};
