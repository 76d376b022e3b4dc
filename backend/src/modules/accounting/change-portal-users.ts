import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';
import { defaultPermissions, type Permission, type PortalRole } from './permissions.ts';
import {
  insertPortalUser,
  findPortalUser,
  lockActiveSuperAdmins,
  lockPortalUser,
  revokePortalSessions,
  updatePortalUser,
  type PortalUserChange,
  type PortalUserRecord,
} from './portal-users.store.ts';
import { holds, requireHeld, requirePasswordRights, type Rights } from './portal-grants.ts';
import { createPortalLoginGuard } from './portal-sign-in.ts';

interface NewPortalUser {
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly password: string;
  /** The default is the role's default permissions. */
  readonly permissions?: readonly Permission[] | undefined;
}

/**
 * Runs a write of an email.
 * @throws AppError CONFLICT if another portal user has the email
 */
const withFreeEmail = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'A portal user with this email already exists.';
    throw new AppError('CONFLICT', { message, field: 'email' });
  }
};

/**
 * Inserts a new portal user.
 * @throws AppError CONFLICT if another portal user has the email
 */
const storePortalUser = async (
  { db, clock, random }: { readonly db: Db; readonly clock: Clock; readonly random: Random },
  user: Omit<NewPortalUser, 'password'> & { readonly passwordHash: string },
): Promise<{ id: string }> => {
  const id = random.uuid();
  const { email, name, role, passwordHash, permissions = defaultPermissions[role] } = user;
  await withFreeEmail(() =>
    insertPortalUser(db, {
      id,
      email: email.trim().toLowerCase(),
      name,
      role,
      permissions,
      passwordHash,
      active: true,
      createdAt: clock.now(),
    }),
  );
  return { id };
};

/**
 * Creates a portal user without an audit row, for the development seed and tests.
 * @throws AppError CONFLICT if another portal user has the email
 */
export const createPortalUser = async (
  deps: { db: Db; clock: Clock; random: Random; hasher: SecretHasher },
  { password, ...user }: NewPortalUser,
): Promise<{ id: string }> =>
  storePortalUser(deps, { ...user, passwordHash: await deps.hasher.hashSecret(password) });

export interface PortalUserChangesDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  readonly audit: Auditor;
}

/** The author of a change, with the parts of its audit row that describe the author. */
export interface ChangeAuthor extends Pick<AuditEntry, 'actor' | 'requestId' | 'ip'> {
  /** The rights that the author may give. Absent for goldctl, which may give every permission. */
  readonly grantor?: Rights;
}

/** Identifies the user to change. Emails are in lower case, as stored. */
type PortalUserKey = { readonly id: string } | { readonly email: string };

/**
 * The changes of portal users (contract: accounting > Portal users). Each change and its audit row
 * are one transaction. A change to the same values writes no audit row.
 * @throws AppError NOT_FOUND for an unknown user
 * @throws AppError CONFLICT for an email of another user, and for a change that leaves no super admin
 * @throws AppError PERMISSION_DENIED if the author lacks a permission that the change gives
 */
export interface PortalUserChanges {
  create(by: ChangeAuthor, user: NewPortalUser): Promise<PortalUserRecord>;
  update(
    by: ChangeAuthor,
    key: PortalUserKey,
    values: { readonly email?: string | undefined; readonly name?: string | undefined },
  ): Promise<PortalUserRecord>;
  /** Activates or deactivates a user. A deactivation ends their sessions and open sign-ins. */
  setActive(by: ChangeAuthor, key: PortalUserKey, active: boolean): Promise<PortalUserRecord>;
  /** Sets the role and, if the role changes, its default permissions. */
  setRole(by: ChangeAuthor, key: PortalUserKey, role: PortalRole): Promise<PortalUserRecord>;
  setPermissions(
    by: ChangeAuthor,
    key: PortalUserKey,
    permissions: readonly Permission[],
  ): Promise<PortalUserRecord>;
  /** Sets a password. Ends the user's sessions, open sign-ins and the lock after failed sign-ins. */
  resetPassword(by: ChangeAuthor, key: PortalUserKey, password: string): Promise<PortalUserRecord>;
}

type UserRights = Pick<PortalUserRecord, 'role' | 'active' | 'permissions'>;

const isActiveSuperAdmin = ({ role, active }: UserRights): boolean =>
  role === 'super_admin' && active;

/** Returns true for an active super admin who may assign permissions. */
const canAdminister = (user: UserRights): boolean =>
  isActiveSuperAdmin(user) && user.permissions.includes('portal_users.assign_permissions');

/**
 * Refuses a change that leaves no active super admin, or no active super admin who may assign
 * permissions.
 */
const requireSuperAdmin = (
  before: UserRights,
  after: UserRights,
  others: readonly UserRights[],
): void => {
  if (isActiveSuperAdmin(before) && !isActiveSuperAdmin(after) && others.length === 0) {
    throw new AppError('CONFLICT', { message: 'This is the last active super admin.' });
  }
  if (canAdminister(before) && !canAdminister(after) && !others.some(canAdminister)) {
    const message = 'This is the last active super admin who may assign permissions.';
    throw new AppError('CONFLICT', { message });
  }
};

/** Returns the fields of a user that an audit row shows in clear text. None of them is secret. */
const stateOf = ({ email, role, active, permissions }: PortalUserRecord) => ({
  email,
  role,
  active,
  permissions: [...permissions],
});

const namesOf = (before: PortalUserRecord | undefined, after: PortalUserRecord) => ({
  ...(before !== undefined && { before: { name: before.name } }),
  after: { name: after.name },
});

/** Lists the permissions that a change gives, or makes usable by a new role. */
const listGained = (before: PortalUserRecord, after: PortalUserRecord): string[] =>
  after.permissions.filter(
    (permission) =>
      !before.permissions.includes(permission) ||
      (holds(after, permission) && !holds(before, permission)),
  );

const isSame = (a: PortalUserRecord, b: PortalUserRecord): boolean =>
  a.name === b.name && JSON.stringify(stateOf(a)) === JSON.stringify(stateOf(b));

type RecordChange = (
  tx: Db,
  by: ChangeAuthor,
  action: string,
  before: PortalUserRecord | undefined,
  after: PortalUserRecord,
) => Promise<void>;

const createRecord =
  (audit: Auditor): RecordChange =>
  (tx, { grantor: _grantor, ...by }, action, before, after) =>
    audit.record(tx, {
      action: `portal-user.${action}`,
      ...by,
      target: { type: 'portal_user', id: after.id },
      ...(before !== undefined && { before: stateOf(before) }),
      after: stateOf(after),
      sealed: namesOf(before, after),
    });

/**
 * Locks the active super admins, then the user to change. Concurrent changes are thereby serialised,
 * so that two changes cannot each remove a super admin and leave none.
 */
const lockUser = async (tx: Db, key: PortalUserKey) => {
  const superAdmins = await lockActiveSuperAdmins(tx);
  const user = await lockPortalUser(tx, key);
  if (user === undefined) {
    const message =
      'email' in key
        ? `There is no portal user with the email ${key.email}.`
        : 'There is no such portal user.';
    throw new AppError('NOT_FOUND', { message });
  }
  return { user, others: superAdmins.filter(({ id }) => id !== user.id) };
};

/** Creates and changes portal users, for their routes and for the operator command. */
export const createPortalUserChanges = (deps: PortalUserChangesDeps): PortalUserChanges => {
  const { inTransaction, clock, random, hasher, audit } = deps;
  const guard = createPortalLoginGuard(clock);

  const record = createRecord(audit);

  const change = (
    by: ChangeAuthor,
    action: string,
    key: PortalUserKey,
    decide: (user: PortalUserRecord) => PortalUserChange,
  ): Promise<PortalUserRecord> =>
    inTransaction(async (tx) => {
      const { user, others } = await lockUser(tx, key);
      const values = decide(user);
      const changed = { ...user, ...values };
      if (isSame(user, changed)) return user;
      if (by.grantor !== undefined) requireHeld(by.grantor, listGained(user, changed));
      requireSuperAdmin(user, changed, others);
      const now = clock.now();
      const after = await withFreeEmail(() => updatePortalUser(tx, user.id, values, now));
      if (values.active === false) await revokePortalSessions(tx, user.id, now);
      await record(tx, by, action, user, after);
      return after;
    });

  return {
    async create(by, { password, ...user }) {
      const { permissions = defaultPermissions[user.role] } = user;
      if (by.grantor !== undefined) requireHeld(by.grantor, permissions);
      const passwordHash = await hasher.hashSecret(password);
      return inTransaction(async (tx) => {
        const { id } = await storePortalUser({ db: tx, clock, random }, { ...user, passwordHash });
        const after = await findPortalUser(tx, id);
        invariant(after, 'a new portal user is in the database');
        await record(tx, by, 'create', undefined, after);
        return after;
      });
    },
    update: (by, key, { email, name }) =>
      change(by, 'update', key, () => ({
        ...(email !== undefined && { email }),
        ...(name !== undefined && { name }),
      })),
    setActive: (by, key, active) =>
      change(by, active ? 'activate' : 'deactivate', key, () => ({ active })),
    setRole: (by, key, role) =>
      change(by, 'assign-role', key, (user) =>
        user.role === role ? {} : { role, permissions: defaultPermissions[role] },
      ),
    setPermissions: (by, key, permissions) =>
      change(by, 'assign-permissions', key, () => ({ permissions })),
    async resetPassword(by, key, password) {
      const passwordHash = await hasher.hashSecret(password);
      return inTransaction(async (tx) => {
        const { user } = await lockUser(tx, key);
        if (by.grantor !== undefined) requirePasswordRights(by.grantor, user);
        const now = clock.now();
        const after = await updatePortalUser(tx, user.id, { passwordHash }, now);
        await revokePortalSessions(tx, user.id, now);
        await guard.clear(tx, user.email);
        await record(tx, by, 'reset-password', user, after);
        return after;
      });
    },
  };
};
