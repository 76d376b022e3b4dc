import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { createUser, type CreateUserDeps } from './create-user.ts';
import { isActive, type ActiveUser, type SignedIn } from './identity.types.ts';
import { checkCode, refusalOf, type CheckCodeDeps } from './check-code.ts';
import { hashesOfPhone } from './phone.ts';
import { recordRefusedSignIn } from './record-refused-sign-in.ts';
import { completeSignIn, openSession, type Device, type SessionsDeps } from './sessions.ts';
import { revokeBiometricTokens } from './sessions.store.ts';
import { trustDevice } from './trusted-devices.store.ts';
import { isCoolingDown, lockUserByPhone } from './users.store.ts';

export interface SignInWithCodeDeps extends CreateUserDeps, CheckCodeDeps, SessionsDeps {}

interface CodeSignIn extends Device {
  readonly phone: string;
  readonly otp: string;
}

interface Account {
  readonly user: ActiveUser;
  readonly isNewUser: boolean;
}

/**
 * Returns the account of a phone, and creates it at the first sign-in. Returns undefined if the
 * account is blocked, or if the phone's earlier account was deleted recently.
 */
const findOrCreateAccount = async (
  deps: SignInWithCodeDeps,
  tx: Db,
  phone: string,
): Promise<Account | undefined> => {
  const existingUser = await lockUserByPhone(tx, phone);
  if (existingUser !== undefined)
    return isActive(existingUser) ? { user: existingUser, isNewUser: false } : undefined;
  const hashes = hashesOfPhone(deps.blindIndex, phone);
  if (await isCoolingDown(tx, hashes, deps.clock.now())) return undefined;
  return { user: await createUser(deps, tx, phone), isNewUser: true };
};

/**
 * Signs in with a code that was sent by SMS. The first sign-in of a phone creates its customer.
 * Everything is one transaction under the code's lock, so one code opens one session, and one phone
 * has one customer.
 * @throws AppError INVALID_OTP, OTP_LOCKED, ACCOUNT_UNAVAILABLE (blocked, or deleted recently).
 */
export const signInWithCode = async (
  deps: SignInWithCodeDeps,
  attempt: CodeSignIn,
  { ip }: Pick<RequestContext, 'ip'>,
): Promise<SignedIn & { isNewUser: boolean }> => {
  const { phone, otp: code, deviceId, deviceName } = attempt;
  // Every refusal leaves the transaction by return, since a throw would undo the count of wrong
  // codes.
  const result = await deps.inTransaction(async (tx) => {
    const verdict = await checkCode(deps, tx, {
      phone,
      purpose: 'login',
      code,
      client: { ip, deviceId },
    });
    if (verdict.kind !== 'right') {
      const locks = verdict.kind === 'wrong' && verdict.locks;
      await recordRefusedSignIn(deps, tx, { phone, ip, locks });
      return verdict;
    }
    const account = await findOrCreateAccount(deps, tx, phone);
    if (account === undefined) {
      await recordRefusedSignIn(deps, tx, { phone, ip, locks: false });
      return { kind: 'unavailable' as const };
    }
    const userId = account.user.id;
    // A device that sends its own id is trusted from now on. An id that we assign is never
    // presented again.
    if (deviceId !== undefined) await trustDevice(tx, { userId, deviceId }, deps.clock.now());
    const opened = await openSession(deps, tx, userId, { deviceId, deviceName, ip });
    // The device's biometric token may belong to another person than the owner of the phone.
    if (deviceId !== undefined) {
      await revokeBiometricTokens(tx, { userId, deviceId }, deps.clock.now());
    }
    return { kind: 'signed-in' as const, account, opened };
  });
  if (result.kind === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
  if (result.kind !== 'signed-in') throw refusalOf(result);
  const { account, opened } = result;
  return {
    ...(await completeSignIn(deps, account.user, opened)),
    isNewUser: account.isNewUser,
  };
};
