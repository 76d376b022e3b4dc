import { countTry } from '../../platform/auth/counted-tries.ts';
import type { BlindIndex, SecretHasher } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { recordSecurityEvent } from '../security-events/index.ts';
import { callerAddress, chargeAddress, uncountRefusal } from './address-refusals.store.ts';
import { isActive, type ActiveUser, type SignedIn } from './identity.types.ts';
import { lockMpinHolder } from './mpins.store.ts';
import { passwordCallerOfClient } from './password-callers.ts';
import { hashesOfPhone } from './phone.ts';
import { recordRefusedSignIn } from './record-refused-sign-in.ts';
import {
  completeSignIn,
  openSession,
  type Device,
  type OpenedSession,
  type SessionsDeps,
} from './sessions.ts';
import {
  rehashGuards,
  deleteTries,
  lockGuard,
  updateTries,
  type GuardKey,
} from './sign-in-guards.store.ts';
import { callerOf, type SignInRules } from './sign-in-rules.ts';
import {
  chargeDevice,
  revokeSpentTrust,
  findMpinCaller,
  isTrustedDevice,
  uncountTry,
  type MpinCaller,
} from './trusted-devices.store.ts';
import { findUser } from './users.store.ts';

export interface SignInWithMpinDeps extends SessionsDeps {
  readonly db: Db;
  readonly hasher: SecretHasher;
  readonly blindIndex: BlindIndex;
  readonly signInRules: SignInRules;
}

interface MpinSignIn extends Device {
  readonly phone: string;
  readonly mpin: string;
}

type Attempt = MpinSignIn & { readonly ip: string };

/** A try that was counted and may be judged. */
interface Try {
  readonly countedAt: Date;
  readonly key: GuardKey;
  /** True for the try that locks its caller. */
  readonly locks: boolean;
  /** The trusted device that tries, or undefined for any other caller. */
  readonly device: { readonly userId: string; readonly deviceId: string } | undefined;
  /** The customer whose MPIN is checked. Undefined if no MPIN signs this caller in. */
  readonly holder: { readonly id: string; readonly mpinHash: string } | undefined;
}

type Result =
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'signed-in'; readonly user: ActiveUser; readonly opened: OpenedSession };

/** The caller under which the tries of all callers are counted. */
const allCallers = '';

/**
 * Returns the key under which a try is counted. If only trusted devices may use the MPIN, tries are
 * counted by device or address, so that no stranger locks the phone. Otherwise they are counted by
 * the phone alone.
 */
const keyOf = (
  { blindIndex, signInRules }: SignInWithMpinDeps,
  { phone, ip, deviceId }: Attempt,
  caller: MpinCaller | undefined,
): GuardKey => {
  const isTrusted = caller?.isTrusted === true;
  const countsByCaller = signInRules.trustedDevicesOnly || caller?.hasDevices === true;
  return {
    phoneHash: hashesOfPhone(blindIndex, phone)[0],
    purpose: 'mpin',
    caller: countsByCaller ? callerOf({ ip, deviceId }, isTrusted) : allCallers,
  };
};

const holderOf = (caller: MpinCaller | undefined): Try['holder'] =>
  caller === undefined || caller.mpinHash === null
    ? undefined
    : { id: caller.userId, mpinHash: caller.mpinHash };

/**
 * Counts a try before it is judged, so that parallel guesses cannot outrun the count. Only a right
 * MPIN takes it back. Unregistered phone numbers are counted like all others.
 */
const chargeTry = (
  deps: SignInWithMpinDeps,
  attempt: Attempt,
): Promise<Try | Extract<Result, { kind: 'locked' }>> =>
  deps.inTransaction(async (tx) => {
    const { phone, ip, deviceId } = attempt;
    const { refusalsPerAddressHour: maxRefusals, trustedDevicesOnly } = deps.signInRules;
    const now = deps.clock.now();
    const caller = await findMpinCaller(tx, { phone, deviceId }, now);
    await rehashGuards(tx, hashesOfPhone(deps.blindIndex, phone));
    const key = keyOf(deps, attempt, caller);
    const verdict = countTry(await lockGuard(tx, key), now);
    const isTrusted = caller?.isTrusted === true;
    const waitSeconds =
      verdict.kind === 'locked'
        ? verdict.retryAfterSeconds
        : isTrusted
          ? 0
          : await chargeAddress(tx, callerAddress(ip), { maxRefusals, now });
    if (verdict.kind === 'locked' || waitSeconds > 0) {
      await recordRefusedSignIn(deps, tx, { phone, ip, locks: false });
      return { kind: 'locked', retryAfterSeconds: waitSeconds };
    }
    await updateTries(tx, key, verdict.next);
    const device =
      isTrusted && deviceId !== undefined ? { userId: caller.userId, deviceId } : undefined;
    const hasTriesLeft = device === undefined || (await chargeDevice(tx, device, now));
    const mayUseMpin = device !== undefined || !(trustedDevicesOnly || caller?.hasDevices === true);
    return {
      countedAt: now,
      key,
      locks: verdict.locks,
      device,
      holder: mayUseMpin && hasTriesLeft ? holderOf(caller) : undefined,
    };
  });

/**
 * Records an incorrect MPIN. The guard is locked again, which writes its row, so that an
 * unregistered phone number costs a commit too.
 */
const refuse = (
  deps: SignInWithMpinDeps,
  { phone, ip }: Attempt,
  { key, locks, device }: Try,
): Promise<Result> =>
  deps.inTransaction(async (tx) => {
    await lockGuard(tx, key);
    if (device !== undefined && (await revokeSpentTrust(tx, device, deps.clock.now())) > 0) {
      await recordSecurityEvent(tx, deps, { ...device, kind: 'device_distrusted', ip });
    }
    await recordRefusedSignIn(deps, tx, { phone, ip, locks });
    return { kind: 'wrong' };
  });

/**
 * Opens a session of the customer whose MPIN was verified. Returns undefined if the MPIN was
 * replaced or the trust in the device ended meanwhile.
 */
const openVerified = (
  deps: SignInWithMpinDeps,
  { phone, deviceId, deviceName, ip }: Attempt,
  { countedAt, key, device, holder }: Try,
): Promise<Result | undefined> =>
  deps.inTransaction(async (tx) => {
    // The check takes a while, so the MPIN and the trust are read once more under the lock.
    if (holder === undefined || !(await lockMpinHolder(tx, holder))) return undefined;
    await deleteTries(tx, key);
    if (device !== undefined) await uncountTry(tx, device, countedAt);
    if (device !== undefined && !(await isTrustedDevice(tx, device, countedAt))) return undefined;
    const user = await findUser(tx, holder.id);
    const isUsable = user !== undefined && isActive(user);
    const opened = isUsable
      ? await openSession(deps, tx, user.id, { deviceId, deviceName, ip })
      : undefined;
    if (device === undefined) await uncountRefusal(tx, callerAddress(ip), countedAt);
    if (opened !== undefined && isUsable) return { kind: 'signed-in', user, opened };
    await recordRefusedSignIn(deps, tx, { phone, ip, locks: false });
    return { kind: 'unavailable' };
  });

/** The text lists every possible reason, so that it does not reveal the actual one. */
const wrongMpin =
  'This MPIN is incorrect, or it cannot be used on this device. Please sign in with a code.';

/**
 * Signs in with phone and MPIN. An unregistered phone number, an account without an MPIN, an
 * incorrect MPIN and a device that may not use it get the same answer after the same time
 * (contract: identity-and-kyc > MPIN).
 * @throws AppError INVALID_CREDENTIALS, MPIN_LOCKED, ACCOUNT_UNAVAILABLE (the MPIN is right, and
 * the customer is blocked), BUSY.
 */
export const signInWithMpin = async (
  deps: SignInWithMpinDeps,
  signIn: MpinSignIn,
  { ip, clientGone }: Pick<RequestContext, 'ip' | 'clientGone'>,
): Promise<SignedIn> => {
  const attempt = { ...signIn, ip };
  const caller = await passwordCallerOfClient(deps, signIn, { ip, clientGone });
  const result = await deps.hasher.checkInTurn(caller, async (verify): Promise<Result> => {
    const countedTry = await chargeTry(deps, attempt);
    if ('kind' in countedTry) return countedTry;
    const isRight = await verify(signIn.mpin, countedTry.holder?.mpinHash);
    const verified = isRight ? await openVerified(deps, attempt, countedTry) : undefined;
    return verified ?? refuse(deps, attempt, countedTry);
  });
  if (result.kind === 'locked') {
    throw new AppError('MPIN_LOCKED', { retryAfterSeconds: result.retryAfterSeconds });
  }
  if (result.kind === 'wrong') throw new AppError('INVALID_CREDENTIALS', { message: wrongMpin });
  if (result.kind === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
  return completeSignIn(deps, result.user, result.opened);
};
