import type { Db } from '../../platform/db/index.ts';
import type { Timers } from '../../platform/clock/timers.ts';
import { hashToken } from '../../platform/crypto/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { recordSecurityEvent } from '../security-events/index.ts';
import { isActive, type CustomerPrincipal, type SignedIn } from './identity.types.ts';
import { requireRecentSignIn, type RecentSignInDeps } from './recent-sign-in.ts';
import { recordRefusedSignIn } from './record-refused-sign-in.ts';
import { biometricTokenCutoff } from './session-lifetimes.ts';
import { completeSignIn, openSession } from './sessions.ts';
import {
  findDeviceName,
  findLiveSession,
  validBiometricTokens,
  lockLiveSession,
} from './sessions.store.ts';
import { resetRefusals } from './trusted-devices.store.ts';
import { lockActiveUser, lockUserByPhone } from './users.store.ts';

/* Table `biometric_token` has one row for each device of a customer. It stores the token's hash alone. */

interface NewBiometricToken {
  readonly id: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly tokenHash: string;
  readonly createdAt: Date;
}

/** Stores the token of a device and replaces its earlier token. */
const storeBiometricToken = async (tx: Db, token: NewBiometricToken): Promise<void> => {
  const { userId, deviceId, tokenHash, createdAt } = token;
  await tx.biometricToken.upsert({
    where: { userId_deviceId: { userId, deviceId } },
    create: token,
    update: { tokenHash, createdAt, lastUsedAt: null, revokedAt: null },
    select: { id: true },
  });
};

/** Returns the id of the customer with this phone who has this valid token on this device. */
const findBiometricHolder = async (
  db: Db,
  { phone, deviceId, tokenHash }: { phone: string; deviceId: string; tokenHash: string },
  now: Date,
): Promise<string | undefined> => {
  const isValid = validBiometricTokens(biometricTokenCutoff(now));
  const where = { tokenHash, deviceId, user: { phone }, ...isValid };
  return (await db.biometricToken.findFirst({ where, select: { userId: true } }))?.userId;
};

/** Records the use of a device's token. Returns false if the token has ended or was replaced. */
const recordBiometricUse = async (
  tx: Db,
  { userId, deviceId, tokenHash }: Pick<NewBiometricToken, 'userId' | 'deviceId' | 'tokenHash'>,
  at: Date,
): Promise<boolean> => {
  const where = { userId, deviceId, tokenHash, ...validBiometricTokens(biometricTokenCutoff(at)) };
  return (await tx.biometricToken.updateMany({ where, data: { lastUsedAt: at } })).count === 1;
};

export interface BiometricDeps extends RecentSignInDeps {
  readonly timers: Timers;
}

/**
 * Issues the biometric token of the caller's own device: 32 random bytes, of which only the hash is
 * stored. The new token replaces the device's earlier one. The customer is notified.
 * @throws AppError NO_ACTIVE_SESSION for another device, RECENT_SIGN_IN_REQUIRED, UNAUTHENTICATED.
 */
export const issueBiometricToken = async (
  deps: BiometricDeps,
  principal: CustomerPrincipal,
  request: { readonly deviceId?: string | undefined; readonly currentMpin?: string | undefined },
  context: Pick<RequestContext, 'ip' | 'clientGone'>,
): Promise<{ biometricToken: string }> => {
  const { inTransaction, clock, random } = deps;
  const { userId, sessionId, deviceId } = principal;
  if ((request.deviceId ?? deviceId) !== deviceId) throw new AppError('NO_ACTIVE_SESSION');
  await requireRecentSignIn(deps, principal, request.currentMpin, context);
  const biometricToken = random.bytes(32).toString('base64url');
  await inTransaction(async (tx) => {
    const user = await lockActiveUser(tx, userId);
    const createdAt = clock.now();
    // This reads the session's row instead of the revocation list, since a biometric token outlives
    // the session that creates it.
    const ownSession = await findLiveSession(tx, sessionId, userId, createdAt);
    if (user === undefined || ownSession === undefined) throw new AppError('UNAUTHENTICATED');
    const session = await lockLiveSession(tx, { userId, deviceId }, createdAt);
    if (session === undefined) throw new AppError('NO_ACTIVE_SESSION');
    const tokenHash = hashToken(biometricToken);
    await storeBiometricToken(tx, { id: random.uuid(), userId, deviceId, tokenHash, createdAt });
    const event = { userId, kind: 'biometric_token_issued', ip: context.ip, deviceId } as const;
    await recordSecurityEvent(tx, deps, event);
    await deps.notify(tx, {
      userId,
      type: 'biometric_added',
      title: 'Biometric sign-in turned on',
      body:
        'A device of yours can now sign in with a fingerprint or face. ' +
        'If this was not you, please end its session and contact support.',
      data: { sessionId },
    });
  });
  return { biometricToken };
};

interface BiometricSignIn {
  readonly phone: string;
  readonly deviceId: string;
  readonly biometricToken: string;
}

/** Opens a session of the token's device. If none may be opened, it returns the reason. */
const openVerified = (
  deps: BiometricDeps,
  { phone, deviceId, biometricToken }: BiometricSignIn,
  ip: string,
) =>
  deps.inTransaction(async (tx) => {
    const user = await lockUserByPhone(tx, phone);
    if (user === undefined) return 'wrong' as const;
    const device = { userId: user.id, deviceId };
    const at = deps.clock.now();
    // The code that ends a session also locks the session before its token, so neither waits for
    // the other forever.
    await lockLiveSession(tx, device, at);
    const tokenHash = hashToken(biometricToken);
    if (!(await recordBiometricUse(tx, { ...device, tokenHash }, at))) return 'wrong' as const;
    if (!isActive(user)) {
      await recordRefusedSignIn(deps, tx, { phone, ip, locks: false });
      return 'unavailable' as const;
    }
    await resetRefusals(tx, device);
    const deviceName = await findDeviceName(tx, user.id, deviceId);
    return { user, opened: await openSession(deps, tx, user.id, { deviceId, deviceName, ip }) };
  });

/** The time of every refusal. It covers the recording, which takes longer for a customer's phone. */
const refusalMs = 50;

/**
 * Signs in with the token of a device. An unknown phone, another device and a token that is wrong,
 * revoked or unused for too long get the same answer after the same time.
 * @throws AppError INVALID_CREDENTIALS, ACCOUNT_UNAVAILABLE (the token is right, and the customer
 * is blocked).
 */
export const signInWithBiometric = async (
  deps: BiometricDeps,
  signIn: BiometricSignIn,
  { ip }: Pick<RequestContext, 'ip'>,
): Promise<SignedIn> => {
  const { phone, deviceId, biometricToken } = signIn;
  const refusalTime = deps.timers.sleep(refusalMs);
  const tokenHash = hashToken(biometricToken);
  const now = deps.clock.now();
  const holder = await findBiometricHolder(deps.db, { phone, deviceId, tokenHash }, now);
  const result = holder === undefined ? 'wrong' : await openVerified(deps, signIn, ip);
  if (result === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
  if (result === 'wrong') {
    await deps.inTransaction((tx) => recordRefusedSignIn(deps, tx, { phone, ip, locks: false }));
    await refusalTime;
    throw new AppError('INVALID_CREDENTIALS');
  }
  return completeSignIn(deps, result.user, result.opened);
};
