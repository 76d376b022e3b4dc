import { sessionCaller } from '../../platform/auth/known-browsers.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import { requireProof } from '../second-factor/index.ts';
import { portalActor } from './accounting.types.ts';
import { requireReach } from './portal-grants.ts';
import {
  createPortalFactors,
  createPortalLoginGuard,
  type PortalSignInDeps,
} from './portal-sign-in.ts';
import {
  findPortalUser,
  lockPortalUser,
  revokePortalSessions,
  updatePortalUser,
  type PortalUserRecord,
} from './portal-users.store.ts';
import type { PortalAuthor } from './put-statutory-parameter.ts';

/**
 * Locks the calling user, and returns them as they are.
 * @throws AppError UNAUTHENTICATED
 */
const lockSelf = async (tx: Db, { principal }: PortalAuthor): Promise<PortalUserRecord> => {
  const user = await lockPortalUser(tx, { id: principal.portalUserId });
  if (user?.active !== true) throw new AppError('UNAUTHENTICATED');
  return user;
};

/**
 * Checks the password of the calling user, with attempts counted across all of their sessions.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY
 */
const checkOwnPassword = async (
  { db, inTransaction, clock, hasher }: PortalSignInDeps,
  { principal, context }: PortalAuthor,
  password: string,
): Promise<PortalUserRecord> => {
  const guard = createPortalLoginGuard(clock);
  const caller = sessionCaller(principal.portalUserId);
  const { clientGone } = context;
  const waiting = { clientGone, id: caller.id, isKnown: true };
  const known = await hasher.checkInTurn(waiting, async (verify) => {
    await guard.charge(inTransaction, principal.email, caller);
    const user = await findPortalUser(db, principal.portalUserId);
    return (await verify(password, user?.passwordHash)) ? user : undefined;
  });
  if (known === undefined) throw new AppError('WRONG_PASSWORD');
  return known;
};

const record = (
  { audit }: PortalSignInDeps,
  tx: Db,
  { principal, context }: PortalAuthor,
  { action, ...parts }: { action: string; before?: JsonObject; after?: JsonObject },
): Promise<void> =>
  audit.record(tx, {
    action: `portal-user.${action}`,
    ...portalActor(principal, context),
    target: { type: 'portal_user', id: principal.portalUserId },
    ...parts,
  });

/**
 * Changes the password of the calling user. Ends every other session, and the locks of failed
 * sign-ins.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY
 */
export const changeOwnPortalPassword = async (
  deps: PortalSignInDeps,
  by: PortalAuthor,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> => {
  const known = await checkOwnPassword(deps, by, currentPassword);
  const passwordHash = await deps.hasher.hashSecret(newPassword);
  await deps.inTransaction(async (tx) => {
    const user = await lockSelf(tx, by);
    // Hashing takes a while: the password that was verified may be theirs no more.
    if (user.passwordHash !== known.passwordHash) throw new AppError('WRONG_PASSWORD');
    const at = deps.clock.now();
    await updatePortalUser(tx, user.id, { passwordHash }, at);
    await revokePortalSessions(tx, user.id, at, by.principal.sessionId);
    await createPortalLoginGuard(deps.clock).clear(tx, user.email);
    await record(deps, tx, by, { action: 'change-password' });
  });
};

/**
 * Creates the secret of an authenticator app for the calling user.
 * @throws AppError WRONG_PASSWORD, LOGIN_LOCKED, BUSY, and CONFLICT where one is set up
 */
export const enrolPortalFactor = async (
  deps: PortalSignInDeps,
  by: PortalAuthor,
  password: string,
) => {
  const known = await checkOwnPassword(deps, by, password);
  return deps.inTransaction(async (tx) => {
    const user = await lockSelf(tx, by);
    if (user.passwordHash !== known.passwordHash) throw new AppError('WRONG_PASSWORD');
    const secret = await createPortalFactors(deps).enrol(tx, user.id, user.email);
    const guard = createPortalLoginGuard(deps.clock);
    await guard.forget(tx, user.email, sessionCaller(user.id));
    const after = { secondFactor: 'PENDING' };
    await record(deps, tx, by, { action: 'second-factor.enrol', after });
    return secret;
  });
};

/**
 * Activates the authenticator app with its first code, and returns the recovery codes. Earlier
 * sessions have shown no code, so all but the calling one end.
 * @throws AppError SECOND_FACTOR_INVALID, LOGIN_LOCKED, and CONFLICT without one to confirm
 */
export const confirmPortalFactor = async (
  deps: PortalSignInDeps,
  by: PortalAuthor,
  code: string,
): Promise<readonly string[]> => {
  const guard = createPortalLoginGuard(deps.clock);
  const caller = sessionCaller(by.principal.portalUserId);
  await guard.chargeCode(deps.inTransaction, by.principal.email, caller);
  return deps.inTransaction(async (tx) => {
    const user = await lockSelf(tx, by);
    const recoveryCodes = await createPortalFactors(deps).confirm(tx, user.id, code);
    await revokePortalSessions(tx, user.id, deps.clock.now(), by.principal.sessionId);
    await guard.forget(tx, user.email, caller);
    const [before, after] = [{ secondFactor: 'PENDING' }, { secondFactor: 'ACTIVE' }];
    await record(deps, tx, by, { action: 'second-factor.confirm', before, after });
    return recoveryCodes;
  });
};

/**
 * Replaces the recovery codes of the calling user.
 * @throws AppError WRONG_PASSWORD, SECOND_FACTOR_INVALID, LOGIN_LOCKED, BUSY, and CONFLICT without
 *   an app
 */
export const renewPortalRecoveryCodes = async (
  deps: PortalSignInDeps,
  by: PortalAuthor,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<readonly string[]> => {
  await checkOwnPassword(deps, by, password);
  const guard = createPortalLoginGuard(deps.clock);
  const caller = sessionCaller(by.principal.portalUserId);
  await guard.chargeCode(deps.inTransaction, by.principal.email, caller);
  return deps.inTransaction(async (tx) => {
    const { id, email } = await lockSelf(tx, by);
    const factors = createPortalFactors(deps);
    requireProof(await factors.take(tx, id, code));
    const recoveryCodes = await factors.renewRecoveryCodes(tx, id);
    await guard.forget(tx, email, caller);
    await record(deps, tx, by, { action: 'second-factor.recovery-codes' });
    return recoveryCodes;
  });
};

/** The audit row of a factor that was taken away, without who did it and why. */
interface FactorRemoval {
  readonly action: 'portal-user.second-factor.disable';
  readonly target: { readonly type: 'portal_user'; readonly id: string };
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/**
 * Takes a user's factor away in the caller's transaction, and ends their sessions.
 * @throws AppError NOT_FOUND, and CONFLICT without one
 */
export const removePortalFactor = async (
  deps: Pick<PortalSignInDeps, 'clock' | 'vault' | 'random' | 'wall'>,
  tx: Db,
  key: { readonly id: string } | { readonly email: string },
  audit: (change: FactorRemoval) => Promise<void>,
): Promise<PortalUserRecord> => {
  const user = await lockPortalUser(tx, key);
  if (user === undefined)
    throw new AppError('NOT_FOUND', { message: 'There is no such portal user.' });
  const state = await createPortalFactors(deps).remove(tx, user.id);
  if (state === 'NONE') {
    throw new AppError('CONFLICT', { message: 'This portal user has no authenticator app.' });
  }
  await revokePortalSessions(tx, user.id, deps.clock.now());
  await createPortalLoginGuard(deps.clock).clear(tx, user.email);
  await audit({
    action: 'portal-user.second-factor.disable',
    target: { type: 'portal_user', id: user.id },
    before: { secondFactor: state },
    after: { secondFactor: 'NONE' },
  });
  return user;
};

/**
 * Takes the authenticator app of another user away, and ends their sessions. It needs the reach of a
 * new password.
 * @throws AppError NOT_FOUND, and PERMISSION_DENIED for one's own and for a user who can do more,
 * and CONFLICT without an app
 */
export const disablePortalFactor = async (
  deps: PortalSignInDeps,
  by: PortalAuthor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<PortalUserRecord> =>
  deps.inTransaction(async (tx) => {
    const user = await lockPortalUser(tx, { id });
    if (user === undefined)
      throw new AppError('NOT_FOUND', { message: 'There is no such portal user.' });
    if (id === by.principal.portalUserId) {
      const message = 'You cannot disable your own second factor. Ask another super admin.';
      throw new AppError('PERMISSION_DENIED', { message });
    }
    requireReach(by.principal, user);
    return removePortalFactor(deps, tx, { id }, (change) =>
      deps.audit.record(tx, {
        ...portalActor(by.principal, by.context),
        ...change,
        sealed: { after: { reason } },
      }),
    );
  });
