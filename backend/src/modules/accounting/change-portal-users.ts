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
import { holds, requireOwn, requireReach, type Rights } from './portal-grants.ts';
import { createPortalLoginGuard } from './portal-sign-in.ts';

interface NewPortalUser {
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly password: string;
  /** The role's default set unless given. */
  readonly permissions?: readonly Permission[] | undefined;
}

/** Runs a write of an email. @throws AppError CONFLICT when another portal user has it. */
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
 * Writes a new portal user whose password is hashed.
 * @throws AppError CONFLICT: see withFreeEmail
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

/** Creates a portal user, for the development seed and tests. @throws AppError CONFLICT */
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

/** The actor, request id and address of the audit row of a change. */
export interface ChangeAuthor extends Pick<AuditEntry, 'actor' | 'requestId' | 'ip'> {
  /** Bounds what the author may give. Absent for goldctl, which may give everything. */
  readonly grantor?: Rights;
}

/** Names the user to change. Emails are in lower case, as stored. */
type PortalUserKey = { readonly id: string } | { readonly email: string };

/**
 * Each change is one transaction with its audit row. One that changes nothing writes none.
 * @throws AppError NOT_FOUND, and CONFLICT for a taken email and for what would lose the last super
 * admin, and PERMISSION_DENIED for what the author lacks (contract: accounting > Portal users)
 */
export interface PortalUserChanges {
  create(by: ChangeAuthor, user: NewPortalUser): Promise<PortalUserRecord>;
  update(
    by: ChangeAuthor,
    key: PortalUserKey,
    to: { readonly email?: string | undefined; readonly name?: string | undefined },
  ): Promise<PortalUserRecord>;
  /** A deactivation ends the user's sessions and sign-ins under way. */
  setActive(by: ChangeAuthor, key: PortalUserKey, active: boolean): Promise<PortalUserRecord>;
  /** Another role comes with its default permissions. */
  setRole(by: ChangeAuthor, key: PortalUserKey, role: PortalRole): Promise<PortalUserRecord>;
  setPermissions(
    by: ChangeAuthor,
    key: PortalUserKey,
    permissions: readonly Permission[],
  ): Promise<PortalUserRecord>;
  /** Ends the user's sessions, sign-ins under way and the lock that failed sign-ins left. */
  resetPassword(by: ChangeAuthor, key: PortalUserKey, password: string): Promise<PortalUserRecord>;
}

type Standing = Pick<PortalUserRecord, 'role' | 'active' | 'permissions'>;

const isActiveSuperAdmin = ({ role, active }: Standing): boolean =>
  role === 'super_admin' && active;

/** A user who may assign permissions can give every other permission to themselves and others. */
const canAdminister = (user: Standing): boolean =>
  isActiveSuperAdmin(user) && user.permissions.includes('portal_users.assign_permissions');

/** Refuses a change after which no active super admin is left, or none who can administrate. */
const keepOneSuperAdmin = (
  before: Standing,
  after: Standing,
  others: readonly Standing[],
): void => {
  if (isActiveSuperAdmin(before) && !isActiveSuperAdmin(after) && others.length === 0) {
    throw new AppError('CONFLICT', { message: 'This is the last active super admin.' });
  }
  if (canAdminister(before) && !canAdminister(after) && !others.some(canAdminister)) {
    const message = 'This is the last active super admin who may assign permissions.';
    throw new AppError('CONFLICT', { message });
  }
};

/** The part of a user that an audit row shows in the clear: nothing secret. */
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

/** Lists what a change gives: permissions that are new, or that only the new role makes usable. */
const gained = (before: PortalUserRecord, after: PortalUserRecord): string[] =>
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
 * Locks the user, after the active super admins: two concurrent changes that would each leave the
 * other one as the last super admin run one after the other.
 */
const lock = async (tx: Db, key: PortalUserKey) => {
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
      const { user, others } = await lock(tx, key);
      const to = decide(user);
      const changed = { ...user, ...to };
      if (isSame(user, changed)) return user;
      if (by.grantor !== undefined) requireOwn(by.grantor, gained(user, changed));
      keepOneSuperAdmin(user, changed, others);
      const at = clock.now();
      const after = await withFreeEmail(() => updatePortalUser(tx, user.id, to, at));
      if (to.active === false) await revokePortalSessions(tx, user.id, at);
      await record(tx, by, action, user, after);
      return after;
    });

  return {
    async create(by, { password, ...user }) {
      const { permissions = defaultPermissions[user.role] } = user;
      if (by.grantor !== undefined) requireOwn(by.grantor, permissions);
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
        const { user } = await lock(tx, key);
        if (by.grantor !== undefined) requireReach(by.grantor, user);
        const at = clock.now();
        const after = await updatePortalUser(tx, user.id, { passwordHash }, at);
        await revokePortalSessions(tx, user.id, at);
        await guard.clear(tx, user.email);
        await record(tx, by, 'reset-password', user, after);
        return after;
      });
    },
  };
};
