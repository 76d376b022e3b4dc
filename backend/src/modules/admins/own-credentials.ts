import { momentOfChange } from '../../platform/auth/credential-change.ts';
import { sessionCaller } from '../../platform/auth/known-browsers.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import { requireProof } from '../second-factor/index.ts';
import {
  findAdmin,
  lockAdminByEmail,
  recordAdminLogin,
  updateAdmin,
  type AdminRecord,
} from './admins.store.ts';
import { adminActor, type ByOperator } from './admins.types.ts';
import {
  createAdminFactors,
  createAdminLoginGuard,
  signAdminToken,
  type AdminToken,
  type SignInAdminDeps,
} from './sign-in-admin.ts';

/**
 * Locks the calling operator, and returns them as they are.
 * @throws AppError UNAUTHENTICATED
 */
const lockSelf = async (tx: Db, { principal }: ByOperator): Promise<AdminRecord> => {
  const admin = await lockAdminByEmail(tx, principal.email);
  if (admin?.active !== true) throw new AppError('UNAUTHENTICATED');
  return admin;
};

/**
 * Checks the password of the calling operator. Attempts are counted across all of their sessions
 * and separately from sign-ins, so that a stolen token neither guesses the password nor locks its
 * owner out.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY
 */
const checkOwnPassword = async (
  { db, inTransaction, clock, hasher }: SignInAdminDeps,
  { principal, context }: ByOperator,
  password: string,
): Promise<AdminRecord> => {
  const guard = createAdminLoginGuard(clock);
  const caller = sessionCaller(principal.adminId);
  const { clientGone } = context;
  const waiting = { clientGone, id: caller.id, isKnown: true };
  const known = await hasher.checkInTurn(waiting, async (verify) => {
    await guard.charge(inTransaction, principal.email, caller);
    const admin = await findAdmin(db, principal.adminId);
    return (await verify(password, admin?.passwordHash)) ? admin : undefined;
  });
  if (known === undefined) throw new AppError('WRONG_PASSWORD');
  return known;
};

const record = (
  { audit }: SignInAdminDeps,
  tx: Db,
  { principal, context }: ByOperator,
  { action, ...parts }: { action: string; before?: JsonObject; after?: JsonObject },
): Promise<void> =>
  audit.record(tx, {
    action,
    ...adminActor(principal, context),
    target: { type: 'admin', id: principal.adminId },
    ...parts,
  });

/** Ends every sign-in of a locked operator, and returns a new token for the calling session. */
const renewToken = async (
  deps: SignInAdminDeps,
  tx: Db,
  admin: AdminRecord,
  passwordHash = admin.passwordHash,
): Promise<AdminToken> => {
  const at = deps.clock.now();
  const passwordChangedAt = momentOfChange(at, admin.lastLoginAt);
  await updateAdmin(tx, admin.id, { passwordHash, passwordChangedAt }, at);
  const renewed = await recordAdminLogin(tx, { id: admin.id, passwordHash }, at);
  invariant(renewed, 'a locked operator is there');
  return signAdminToken(deps, renewed);
};

/**
 * Changes the password of the calling operator. Ends every other sign-in, and the locks of failed
 * ones.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY
 */
export const changeOwnPassword = async (
  deps: SignInAdminDeps,
  by: ByOperator,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<AdminToken> => {
  const known = await checkOwnPassword(deps, by, currentPassword);
  const passwordHash = await deps.hasher.hashSecret(newPassword);
  return deps.inTransaction(async (tx) => {
    const admin = await lockSelf(tx, by);
    // Hashing takes a while: the password that was verified may be theirs no more.
    if (admin.passwordHash !== known.passwordHash) throw new AppError('WRONG_PASSWORD');
    const token = await renewToken(deps, tx, admin, passwordHash);
    await createAdminLoginGuard(deps.clock).clear(tx, admin.email);
    await record(deps, tx, by, { action: 'admin.change_password' });
    return token;
  });
};

/**
 * Creates the secret of an authenticator app for the calling operator.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY, and CONFLICT where one is set up
 */
export const enrolFactor = async (deps: SignInAdminDeps, by: ByOperator, password: string) => {
  const known = await checkOwnPassword(deps, by, password);
  return deps.inTransaction(async (tx) => {
    const admin = await lockSelf(tx, by);
    if (admin.passwordHash !== known.passwordHash) throw new AppError('WRONG_PASSWORD');
    const secret = await createAdminFactors(deps).enrol(tx, admin.id, admin.email);
    const guard = createAdminLoginGuard(deps.clock);
    await guard.forget(tx, admin.email, sessionCaller(admin.id));
    await record(deps, tx, by, {
      action: 'admin.second_factor.enrol',
      after: { secondFactor: 'PENDING' },
    });
    return secret;
  });
};

/**
 * Activates the authenticator app with its first code. Earlier sign-ins have shown no code, so they
 * end. The caller gets a new token and recovery codes.
 * @throws AppError SECOND_FACTOR_INVALID, LOGIN_LOCKED, and CONFLICT without one to confirm
 */
export const confirmFactor = async (deps: SignInAdminDeps, by: ByOperator, code: string) => {
  const guard = createAdminLoginGuard(deps.clock);
  const caller = sessionCaller(by.principal.adminId);
  await guard.chargeCode(deps.inTransaction, by.principal.email, caller);
  return deps.inTransaction(async (tx) => {
    const admin = await lockSelf(tx, by);
    const recoveryCodes = await createAdminFactors(deps).confirm(tx, admin.id, code);
    const token = await renewToken(deps, tx, admin);
    await guard.forget(tx, admin.email, caller);
    await record(deps, tx, by, {
      action: 'admin.second_factor.confirm',
      before: { secondFactor: 'PENDING' },
      after: { secondFactor: 'ACTIVE' },
    });
    return { ...token, recoveryCodes };
  });
};

/**
 * Replaces the recovery codes of the calling operator.
 * @throws AppError WRONG_PASSWORD, SECOND_FACTOR_INVALID, LOGIN_LOCKED, BUSY, and CONFLICT without
 *   an app
 */
export const renewRecoveryCodes = async (
  deps: SignInAdminDeps,
  by: ByOperator,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<readonly string[]> => {
  await checkOwnPassword(deps, by, password);
  const guard = createAdminLoginGuard(deps.clock);
  const caller = sessionCaller(by.principal.adminId);
  await guard.chargeCode(deps.inTransaction, by.principal.email, caller);
  return deps.inTransaction(async (tx) => {
    const { id, email } = await lockSelf(tx, by);
    const factors = createAdminFactors(deps);
    requireProof(await factors.take(tx, id, code));
    const recoveryCodes = await factors.renewRecoveryCodes(tx, id);
    await guard.forget(tx, email, caller);
    await record(deps, tx, by, { action: 'admin.second_factor.recovery_codes' });
    return recoveryCodes;
  });
};

/**
 * Takes the authenticator app of another operator away, and ends their sign-ins.
 * @throws AppError NOT_FOUND, and FORBIDDEN for one's own, and CONFLICT without one
 */
export const disableFactor = async (
  deps: SignInAdminDeps,
  by: ByOperator,
  { adminId, reason }: { readonly adminId: string; readonly reason: string },
): Promise<AdminRecord> => {
  const found = await findAdmin(deps.db, adminId);
  if (found === undefined) throw new AppError('NOT_FOUND');
  if (adminId === by.principal.adminId) {
    const message = 'You cannot disable your own second factor. Ask another super admin.';
    throw new AppError('FORBIDDEN', { message });
  }
  return deps.inTransaction((tx) =>
    removeFactor(deps, tx, found.email, (change) =>
      deps.audit.record(tx, {
        ...adminActor(by.principal, by.context),
        ...change,
        sealed: { after: { reason } },
      }),
    ),
  );
};

/** The audit row of a factor that was taken away, without who did it and why. */
interface FactorRemoval {
  readonly action: 'admin.second_factor.disable';
  readonly target: { readonly type: 'admin'; readonly id: string };
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Takes an operator's factor away in the caller's transaction. @throws AppError as disableFactor */
export const removeFactor = async (
  deps: Pick<SignInAdminDeps, 'clock' | 'vault' | 'random' | 'wall'>,
  tx: Db,
  email: string,
  audit: (change: FactorRemoval) => Promise<void>,
): Promise<AdminRecord> => {
  const admin = await lockAdminByEmail(tx, email);
  if (admin === undefined) {
    throw new AppError('NOT_FOUND', {
      message: `There is no operator with the email ${email}.`,
      field: 'email',
    });
  }
  const before = await createAdminFactors(deps).remove(tx, admin.id);
  if (before === 'NONE') {
    throw new AppError('CONFLICT', { message: 'This operator has no authenticator app.' });
  }
  const at = deps.clock.now();
  const passwordChangedAt = momentOfChange(at, admin.lastLoginAt);
  await updateAdmin(tx, admin.id, { passwordChangedAt }, at);
  await createAdminLoginGuard(deps.clock).clear(tx, admin.email);
  await audit({
    action: 'admin.second_factor.disable',
    target: { type: 'admin', id: admin.id },
    before: { secondFactor: before },
    after: { secondFactor: 'NONE' },
  });
  return admin;
};
