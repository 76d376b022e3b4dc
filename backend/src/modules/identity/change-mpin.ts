import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { recordSecurityEvent, type SecurityEventKind } from '../security-events/index.ts';
import { isActive, type ActiveUser, type CustomerPrincipal } from './identity.types.ts';
import { isCommonMpin } from './common-mpins.ts';
import { checkCode, refusalOf, type CheckCodeDeps } from './check-code.ts';
import { updateMpin } from './mpins.store.ts';
import { passwordCallerOfClient, passwordCallerOfSession } from './password-callers.ts';
import { hashesOfPhone } from './phone.ts';
import { recordRefusedSignIn } from './record-refused-sign-in.ts';
import { requireRecentSignIn, type RecentSignInDeps } from './recent-sign-in.ts';
import { announceEnd } from './sessions.ts';
import { findLiveSession, revokeBiometricTokens, revokeEverySession } from './sessions.store.ts';
import { deleteMpinTries } from './sign-in-guards.store.ts';
import { lockActiveUser, lockUserByPhone } from './users.store.ts';

export interface ChangeMpinDeps extends RecentSignInDeps, CheckCodeDeps {}

type Client = Pick<RequestContext, 'ip' | 'clientGone'>;

interface NewMpin {
  readonly user: ActiveUser;
  readonly mpinHash: string;
  readonly at: Date;
  readonly event: {
    readonly kind: Extract<SecurityEventKind, 'mpin_set' | 'mpin_reset'>;
    readonly ip: string;
    readonly deviceId?: string;
  };
}

/** Refuses a new MPIN that would be among the first guesses. An existing MPIN stays valid. */
const refuseCommon = (
  { signInRules }: ChangeMpinDeps,
  mpin: string,
  field: 'mpin' | 'newMpin',
): void => {
  if (signInRules.refusesCommonMpins && isCommonMpin(mpin)) {
    throw new AppError('MPIN_TOO_COMMON', { field });
  }
};

/** Stores a customer's MPIN, ends their biometric tokens and notifies them. Their row is locked. */
const applyMpin = async (
  deps: ChangeMpinDeps,
  tx: Db,
  { user, mpinHash, at, event }: NewMpin,
): Promise<void> => {
  await updateMpin(tx, user.id, mpinHash, at);
  await recordSecurityEvent(tx, deps, { userId: user.id, ...event });
  // Another person with the old MPIN may have created a token.
  await revokeBiometricTokens(tx, { userId: user.id }, at);
  await deps.notify(tx, {
    userId: user.id,
    type: user.mpinSet ? 'mpin_changed' : 'mpin_set',
    title: user.mpinSet ? 'MPIN changed' : 'MPIN set',
    body:
      (user.mpinSet
        ? 'The MPIN of your account was changed. '
        : 'An MPIN was set for your account. ') +
      'If this was not you, please reset it now and contact support.',
  });
};

/**
 * Sets or replaces the caller's MPIN. A sign-in with the old one that is still in progress is
 * refused. Sessions continue.
 * @throws AppError MPIN_TOO_COMMON, UNAUTHENTICATED, RECENT_SIGN_IN_REQUIRED, BUSY.
 */
export const setMpin = async (
  deps: ChangeMpinDeps,
  principal: CustomerPrincipal,
  { mpin, currentMpin }: { mpin: string; currentMpin?: string | undefined },
  context: Client,
): Promise<void> => {
  const { userId, sessionId, deviceId } = principal;
  const { ip } = context;
  refuseCommon(deps, mpin, 'mpin');
  await requireRecentSignIn(deps, principal, currentMpin, context);
  const mpinHash = await deps.hasher.hashSecret(mpin, passwordCallerOfSession(principal, context));
  await deps.inTransaction(async (tx) => {
    const user = await lockActiveUser(tx, userId);
    const at = deps.clock.now();
    // This reads the session's row instead of the revocation list, since an MPIN outlives the
    // session that sets it.
    const session = await findLiveSession(tx, sessionId, userId, at);
    if (user === undefined || session === undefined) throw new AppError('UNAUTHENTICATED');
    await applyMpin(deps, tx, { user, mpinHash, at, event: { kind: 'mpin_set', ip, deviceId } });
  });
};

interface MpinReset {
  readonly phone: string;
  readonly otp: string;
  readonly newMpin: string;
  /** The client's device. If it is trusted, its wrong codes are counted apart. */
  readonly deviceId?: string | undefined;
}

/**
 * Replaces the MPIN of a customer who presents a code sent by SMS. Resets the count of wrong MPINs
 * and ends every session and biometric token of the customer.
 * @throws AppError MPIN_TOO_COMMON, INVALID_OTP, OTP_LOCKED, ACCOUNT_UNAVAILABLE, BUSY.
 */
export const resetMpin = async (
  deps: ChangeMpinDeps,
  { phone, otp: code, newMpin, deviceId }: MpinReset,
  { ip, clientGone }: Client,
): Promise<void> => {
  // The code is not checked yet, so it stays valid for the customer's next choice.
  refuseCommon(deps, newMpin, 'newMpin');
  // The MPIN is hashed before the code is checked, since a full queue must not use the code up.
  const caller = await passwordCallerOfClient(deps, { phone, deviceId }, { ip, clientGone });
  const mpinHash = await deps.hasher.hashSecret(newMpin, caller);
  // Every refusal leaves the transaction by return, since a throw would undo the count of wrong
  // codes.
  const result = await deps.inTransaction(async (tx) => {
    const client = { ip, deviceId };
    const verdict = await checkCode(deps, tx, { phone, purpose: 'mpin-reset', code, client });
    if (verdict.kind !== 'right') {
      const locks = verdict.kind === 'wrong' && verdict.locks;
      await recordRefusedSignIn(deps, tx, { phone, ip, locks });
      return verdict;
    }
    const user = await lockUserByPhone(tx, phone);
    if (user === undefined || !isActive(user)) {
      await recordRefusedSignIn(deps, tx, { phone, ip, locks: false });
      return { kind: 'unavailable' as const };
    }
    const at = deps.clock.now();
    await applyMpin(deps, tx, { user, mpinHash, at, event: { kind: 'mpin_reset', ip } });
    await deleteMpinTries(tx, hashesOfPhone(deps.blindIndex, phone));
    const endedIds = await revokeEverySession(tx, user.id, 'mpin-reset', at);
    return { kind: 'reset' as const, endedIds };
  });
  if (result.kind === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
  if (result.kind !== 'reset') throw refusalOf(result);
  await announceEnd(deps, result.endedIds);
};
