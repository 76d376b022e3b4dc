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

/** Locks the account of the person who asks. @throws AppError UNAUTHENTICATED */
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
 * Checks the password of the person who asks. Tries are counted for all of their sessions, apart
 * from sign-ins, so that a stolen token neither guesses the password nor locks its owner out.
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
  const waiting = { clientGone, id: caller.id, isKnown: true };
  const known = await hasher.checkInTurn(waiting, async (verify) => {
    await guard.charge(inTransaction, email, caller);
    const account = await accounts.find(db, idOf(principal));
    return (await verify(password, account?.passwordHash)) ? account : undefined;
  });
  if (known === undefined) throw new AppError('WRONG_PASSWORD');
  return known;
};

/** Counts a code of the person who asks before it is judged. @throws AppError LOGIN_LOCKED */
const chargeOwnCode = async <A extends StaffAccount, P, S, R>(
  { deps, accounts, idOf, actorOf }: StaffRealm<A, P, S, R>,
  { principal, context }: StaffCaller<P>,
): Promise<void> => {
  const { email } = actorOf(principal, context).actor;
  const guard = accounts.createLoginGuard(deps.clock);
  await guard.chargeCode(deps.inTransaction, email, sessionCaller(idOf(principal)));
};

/** Forgets the failed tries of the person's own sessions. */
const forgetOwnTries = async <A extends StaffAccount>(
  {
    deps,
    accounts,
  }: { readonly deps: Pick<StaffDeps, 'clock'>; readonly accounts: StaffAccounts<A> },
  tx: Db,
  { id, email }: A,
): Promise<void> => accounts.createLoginGuard(deps.clock).forget(tx, email, sessionCaller(id));

const record = async <A extends StaffAccount, P, S, R>(
  { deps, accounts, idOf, actorOf }: StaffRealm<A, P, S, R>,
  tx: Db,
  { principal, context }: StaffCaller<P>,
  change: { action: string; before?: JsonObject; after?: JsonObject },
): Promise<void> => {
  const target = { type: accounts.targetType, id: idOf(principal) };
  await deps.audit.record(tx, { ...actorOf(principal, context), target, ...change });
};

/**
 * Changes the password of the person who asks. Every other sign-in ends, and so do the locks that
 * failed ones left.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY
 */
export const changeOwnPassword = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  by: StaffCaller<P>,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<R> => {
  const { deps, accounts } = realm;
  const known = await checkOwnPassword(realm, by, currentPassword);
  const passwordHash = await deps.hasher.hashSecret(newPassword);
  return deps.inTransaction(async (tx) => {
    const account = await lockSelf(realm, tx, by);
    // Hashing takes a while: the password that was verified may have been replaced.
    if (account.passwordHash !== known.passwordHash) throw new AppError('WRONG_PASSWORD');
    const renewal = await realm.renewSignIn(tx, account, by.principal, passwordHash);
    await accounts.createLoginGuard(deps.clock).clear(tx, account.email);
    await record(realm, tx, by, { action: accounts.actions.changePassword });
    return renewal;
  });
};

/**
 * Makes the secret of an authenticator app for the person who asks.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY, and CONFLICT where one is set up
 */
export const enrolFactor = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  by: StaffCaller<P>,
  password: string,
) => {
  const { deps, accounts } = realm;
  const known = await checkOwnPassword(realm, by, password);
  return deps.inTransaction(async (tx) => {
    const account = await lockSelf(realm, tx, by);
    if (account.passwordHash !== known.passwordHash) throw new AppError('WRONG_PASSWORD');
    const secret = await accounts.createFactors(deps).enrol(tx, account.id, account.email);
    await forgetOwnTries(realm, tx, account);
    const after = { secondFactor: 'PENDING' };
    await record(realm, tx, by, { action: accounts.actions.enrolFactor, after });
    return secret;
  });
};

/**
 * Activates the authenticator app by its first code, and returns the recovery codes. The other
 * sign-ins of the person have shown no code, so they end.
 * @throws AppError SECOND_FACTOR_INVALID, LOGIN_LOCKED, and CONFLICT without one to confirm
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
    await forgetOwnTries(realm, tx, account);
    await record(realm, tx, by, {
      action: accounts.actions.confirmFactor,
      before: { secondFactor: 'PENDING' },
      after: { secondFactor: 'ACTIVE' },
    });
    return { renewal, recoveryCodes };
  });
};

/**
 * Replaces the recovery codes of the person who asks.
 * @throws AppError WRONG_PASSWORD, SECOND_FACTOR_INVALID, LOGIN_LOCKED, BUSY, and CONFLICT without
 * an app
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
    requireProof(await factors.take(tx, account.id, code));
    const recoveryCodes = await factors.renewRecoveryCodes(tx, account.id);
    await forgetOwnTries(realm, tx, account);
    await record(realm, tx, by, { action: accounts.actions.renewRecoveryCodes });
    return recoveryCodes;
  });
};

/** The audit row of a factor that was taken away, without who did it and why. */
export interface FactorRemoval {
  readonly action: string;
  readonly target: { readonly type: 'admin' | 'portal_user'; readonly id: string };
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * Takes away the factor of an account that is locked, and ends its sign-ins.
 * @throws AppError CONFLICT without one
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
