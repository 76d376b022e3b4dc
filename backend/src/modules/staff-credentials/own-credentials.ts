import { sessionCaller } from '../../platform/auth/known-browsers.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import { requireProof, type SecondFactorDeps } from '../second-factor/index.ts';
import type {
  StaffAccount,
  StaffAccounts,
  StaffCaller,
  StaffDeps,
  StaffRealm,
} from './staff.types.ts';

/** Locks the caller's account. @throws AppError UNAUTHENTICATED if it is not active */
const lockSelf = async <A extends StaffAccount, P, S, R>(
  { accounts, idOf }: StaffRealm<A, P, S, R>,
  tx: Db,
  { principal }: StaffCaller<P>,
): Promise<A> => {
  const account = await accounts.lock(tx, idOf(principal));
  if (account?.active !== true) throw new AppError('UNAUTHENTICATED');
  return account;
};

/**
 * Checks the caller's password. The tries of all their sessions are counted together, and apart from
 * sign-ins. So a thief of a token can neither guess the password nor lock the owner out.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY
 */
const checkOwnPassword = async <A extends StaffAccount, P, S, R>(
  { deps, accounts, idOf, actorOf }: StaffRealm<A, P, S, R>,
  { principal, context }: StaffCaller<P>,
  password: string,
): Promise<A> => {
  const { db, inTransaction, clock, hasher } = deps;
  const guard = accounts.createLoginGuard(clock);
  const { email } = actorOf(principal, context).actor;
  const caller = sessionCaller(idOf(principal));
  const { clientGone } = context;
  const passwordCaller = { clientGone, id: caller.id, isKnown: true };
  const verifiedAccount = await hasher.checkInTurn(passwordCaller, async (verify) => {
    await guard.charge(inTransaction, email, caller);
    const account = await accounts.find(db, idOf(principal));
    return (await verify(password, account?.passwordHash)) ? account : undefined;
  });
  if (verifiedAccount === undefined) throw new AppError('WRONG_PASSWORD');
  return verifiedAccount;
};

/** Counts a code of the caller before it is judged. @throws AppError LOGIN_LOCKED */
const chargeOwnCode = async <A extends StaffAccount, P, S, R>(
  { deps, accounts, idOf, actorOf }: StaffRealm<A, P, S, R>,
  { principal, context }: StaffCaller<P>,
): Promise<void> => {
  const { email } = actorOf(principal, context).actor;
  const guard = accounts.createLoginGuard(deps.clock);
  await guard.chargeCode(deps.inTransaction, email, sessionCaller(idOf(principal)));
};

/** Resets the count of failed tries in the sessions of a person. */
const resetOwnTries = async <A extends StaffAccount>(
  {
    deps,
    accounts,
  }: { readonly deps: Pick<StaffDeps, 'clock'>; readonly accounts: StaffAccounts<A> },
  tx: Db,
  { id, email }: A,
): Promise<void> => accounts.createLoginGuard(deps.clock).forget(tx, email, sessionCaller(id));

/** Writes the audit row of a change that the caller makes to their own credentials. */
const recordChange = async <A extends StaffAccount, P, S, R>(
  { deps, accounts, idOf, actorOf }: StaffRealm<A, P, S, R>,
  tx: Db,
  { principal, context }: StaffCaller<P>,
  change: { action: string; before?: JsonObject; after?: JsonObject },
): Promise<void> => {
  const target = { type: accounts.targetType, id: idOf(principal) };
  await deps.audit.record(tx, { ...actorOf(principal, context), target, ...change });
};

/**
 * Changes the caller's password. This ends their other sign-ins, and the locks that failed tries
 * caused.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY
 */
export const changeOwnPassword = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  by: StaffCaller<P>,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<R> => {
  const { deps, accounts } = realm;
  const verifiedAccount = await checkOwnPassword(realm, by, currentPassword);
  const passwordHash = await deps.hasher.hashSecret(newPassword);
  return deps.inTransaction(async (tx) => {
    const account = await lockSelf(realm, tx, by);
    // Hashing takes a while, so the verified password may have been replaced meanwhile.
    if (account.passwordHash !== verifiedAccount.passwordHash) throw new AppError('WRONG_PASSWORD');
    const renewal = await realm.renewSignIn(tx, account, by.principal, passwordHash);
    await accounts.createLoginGuard(deps.clock).clear(tx, account.email);
    await recordChange(realm, tx, by, { action: accounts.actions.changePassword });
    return renewal;
  });
};

/**
 * Makes the secret of the caller's authenticator app.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY, CONFLICT if an app is already active
 */
export const enrolFactor = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  by: StaffCaller<P>,
  password: string,
) => {
  const { deps, accounts } = realm;
  const verifiedAccount = await checkOwnPassword(realm, by, password);
  return deps.inTransaction(async (tx) => {
    const account = await lockSelf(realm, tx, by);
    if (account.passwordHash !== verifiedAccount.passwordHash) throw new AppError('WRONG_PASSWORD');
    const secret = await accounts.createFactors(deps).enrol(tx, account.id, account.email);
    await resetOwnTries(realm, tx, account);
    const after = { secondFactor: 'PENDING' };
    await recordChange(realm, tx, by, { action: accounts.actions.enrolFactor, after });
    return secret;
  });
};

/**
 * Activates the caller's authenticator app by its first code, and returns the recovery codes. Their
 * other sign-ins end, since those were made without a code.
 * @throws AppError SECOND_FACTOR_INVALID, LOGIN_LOCKED, CONFLICT if there is no app to confirm
 */
export const confirmFactor = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  by: StaffCaller<P>,
  code: string,
): Promise<{ readonly renewal: R; readonly recoveryCodes: readonly string[] }> => {
  const { deps, accounts } = realm;
  await chargeOwnCode(realm, by);
  return deps.inTransaction(async (tx) => {
    const account = await lockSelf(realm, tx, by);
    const recoveryCodes = await accounts.createFactors(deps).confirm(tx, account.id, code);
    const renewal = await realm.renewSignIn(tx, account, by.principal);
    await resetOwnTries(realm, tx, account);
    await recordChange(realm, tx, by, {
      action: accounts.actions.confirmFactor,
      before: { secondFactor: 'PENDING' },
      after: { secondFactor: 'ACTIVE' },
    });
    return { renewal, recoveryCodes };
  });
};

/**
 * Replaces the caller's recovery codes.
 * @throws AppError WRONG_PASSWORD, SECOND_FACTOR_INVALID, LOGIN_LOCKED, BUSY, CONFLICT if no app is
 * active
 */
export const renewRecoveryCodes = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  by: StaffCaller<P>,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<readonly string[]> => {
  const { deps, accounts } = realm;
  await checkOwnPassword(realm, by, password);
  await chargeOwnCode(realm, by);
  return deps.inTransaction(async (tx) => {
    const account = await lockSelf(realm, tx, by);
    const factors = accounts.createFactors(deps);
    requireProof(await factors.consumeCode(tx, account.id, code));
    const recoveryCodes = await factors.renewRecoveryCodes(tx, account.id);
    await resetOwnTries(realm, tx, account);
    await recordChange(realm, tx, by, { action: accounts.actions.renewRecoveryCodes });
    return recoveryCodes;
  });
};

/** The audit row of a removed factor, without its actor and reason. */
export interface FactorRemoval {
  readonly action: string;
  readonly target: { readonly type: 'admin' | 'portal_user'; readonly id: string };
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * Removes the factor of an account, and ends its sign-ins. The caller has locked the account.
 * @throws AppError CONFLICT if there is no factor
 */
export const removeFactor = async <A extends StaffAccount>(
  deps: SecondFactorDeps & { readonly clock: Clock },
  tx: Db,
  { accounts, account }: { readonly accounts: StaffAccounts<A>; readonly account: A },
  audit: (change: FactorRemoval) => Promise<void>,
): Promise<A> => {
  const state = await accounts.createFactors(deps).remove(tx, account.id);
  if (state === 'NONE') {
    throw new AppError('CONFLICT', { message: `This ${accounts.noun} has no authenticator app.` });
  }
  await accounts.endSignIns(tx, account, deps.clock.now());
  await accounts.createLoginGuard(deps.clock).clear(tx, account.email);
  await audit({
    action: accounts.actions.disableFactor,
    target: { type: accounts.targetType, id: account.id },
    before: { secondFactor: state },
    after: { secondFactor: 'NONE' },
  });
  return account;
};
