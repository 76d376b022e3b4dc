import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { createUser, type CreateUserDeps } from './create-user.ts';
import { isActive, type ActiveUser } from './identity.types.ts';
import { refusalOf, type OneTimeCodes } from './one-time-codes.ts';
import { hashPhone } from './phone-hash.ts';
import type { Device, Sessions } from './sessions.ts';
import { createUserStore } from './users.store.ts';

export interface SignInWithCodeDeps extends CreateUserDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly blindIndex: BlindIndex;
  readonly codes: OneTimeCodes;
  readonly sessions: Sessions;
}

export interface CodeSignIn extends Device {
  readonly phone: string;
  readonly otp: string;
}

/** What a client gets for any way of signing in. */
export interface SignedIn {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly user: ActiveUser;
}

interface Account {
  readonly user: ActiveUser;
  readonly isNewUser: boolean;
}

/** The account of a phone, made on the first sign-in; undefined where none may be used. */
const findOrCreateAccount = async (
  deps: SignInWithCodeDeps,
  db: Db,
  phone: string,
): Promise<Account | undefined> => {
  const users = createUserStore(db);
  const known = await users.lockByPhone(phone);
  if (known !== undefined) return isActive(known) ? { user: known, isNewUser: false } : undefined;
  const phoneHash = hashPhone(deps.blindIndex, phone);
  if (await users.isCoolingDown(phoneHash, deps.clock.now())) return undefined;
  return { user: await createUser(deps, db, { phone, phoneHash }), isNewUser: true };
};

/**
 * Signs in with a code by SMS; the first sign-in of a phone makes its customer. All in one
 * transaction under the code's lock, so one code makes one session, one phone one customer.
 * @throws AppError INVALID_OTP, OTP_LOCKED, ACCOUNT_UNAVAILABLE (blocked, or deleted of late).
 */
export const createSignInWithCode =
  (deps: SignInWithCodeDeps) =>
  async (attempt: CodeSignIn): Promise<SignedIn & { isNewUser: boolean }> => {
    const { inTransaction, codes, sessions } = deps;
    const { phone, otp: code } = attempt;
    // Every refusal leaves the transaction by return: a throw would undo the count of wrong codes.
    const result = await inTransaction(async (db) => {
      const verdict = await codes.check(db, { phone, purpose: 'login', code });
      if (verdict.kind !== 'right') return verdict;
      const account = await findOrCreateAccount(deps, db, phone);
      if (account === undefined) return { kind: 'unavailable' as const };
      const opened = await sessions.open(db, account.user.id, attempt);
      return { kind: 'signed-in' as const, account, opened };
    });
    if (result.kind === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
    if (result.kind !== 'signed-in') throw refusalOf(result);
    const { account, opened } = result;
    await sessions.announceEnd(opened.replacedIds);
    return {
      accessToken: sessions.signAccessToken(opened.session, phone),
      refreshToken: opened.refreshToken,
      ...account,
    };
  };
