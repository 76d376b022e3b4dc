import { momentOfChange } from '../../platform/auth/credential-change.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  findAdmin,
  insertAdmin,
  lockActiveSuperAdmins,
  lockAdminByEmail,
  updateAdmin,
  type AdminRecord,
} from './admins.store.ts';
import type { AdminRole } from './admins.types.ts';
import { createAdminLoginGuard } from './sign-in-admin.ts';

interface NewAdmin {
  readonly email: string;
  readonly password: string;
  readonly role: AdminRole;
}

/**
 * Creates an operator, for the operator command and the development seed. No API route creates one.
 * @throws AppError CONFLICT if the email is taken.
 */
export const createAdmin = async (
  deps: { db: Db; clock: Clock; random: Random; hasher: SecretHasher },
  admin: NewAdmin,
): Promise<{ id: string }> => {
  const id = deps.random.uuid();
  const passwordHash = await deps.hasher.hashSecret(admin.password);
  const email = admin.email.trim().toLowerCase();
  const { role } = admin;
  const createdAt = deps.clock.now();
  try {
    await insertAdmin(deps.db, { id, email, passwordHash, role, active: true, createdAt });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'An operator with this email already exists.';
    throw new AppError('CONFLICT', { message, field: 'email' });
  }
  return { id };
};

/** The fields of an operator in an audit row. None of them is secret. */
interface AdminState {
  readonly email: string;
  readonly role: AdminRole;
  readonly active: boolean;
}

interface AdminChange {
  /** The action of the audit row, such as `admin.set-role`. */
  readonly action: string;
  readonly adminId: string;
  readonly before?: AdminState;
  readonly after: AdminState;
}

interface AdminChangesOptions {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  /** Writes the audit row, in the transaction of the change. */
  readonly audit: (db: Db, change: AdminChange) => Promise<void>;
}

/** Each change writes its audit row in the same transaction. Emails are in lower case, as stored. */
interface AdminChanges {
  /** @throws AppError CONFLICT if the email is taken. */
  create(admin: NewAdmin): Promise<AdminRecord>;
  /** @throws AppError NOT_FOUND, and CONFLICT for the last active super admin. */
  setRole(email: string, role: AdminRole): Promise<AdminRecord>;
  /** @throws AppError NOT_FOUND, and CONFLICT for the last active super admin. */
  setActive(email: string, active: boolean): Promise<AdminRecord>;
  /**
   * Sets a password. This ends the operator's sessions, and the lock that failed sign-ins caused.
   * @throws AppError NOT_FOUND
   */
  resetPassword(email: string, password: string): Promise<AdminRecord>;
}

const stateOf = ({ email, role, active }: AdminRecord): AdminState => ({ email, role, active });

const isActiveSuperAdmin = ({ role, active }: AdminState): boolean =>
  role === 'SUPER_ADMIN' && active;

/**
 * Locks the active super admins, and then the operator. Two concurrent changes that would each
 * leave the other operator as the last super admin are therefore serialised.
 */
const lockAdmin = async (tx: Db, email: string) => {
  const superAdmins = await lockActiveSuperAdmins(tx);
  const admin = await lockAdminByEmail(tx, email);
  if (admin === undefined) {
    throw new AppError('NOT_FOUND', {
      message: `There is no operator with the email ${email}.`,
      field: 'email',
    });
  }
  return { admin, isLast: superAdmins.every((id) => id === admin.id) };
};

/** Creates and changes operators, for the operator command. */
export const createAdminChanges = (options: AdminChangesOptions): AdminChanges => {
  const { inTransaction, clock, random, hasher, audit } = options;
  const guard = createAdminLoginGuard(clock);

  const change = async (
    action: string,
    email: string,
    fields: Partial<Pick<AdminRecord, 'role' | 'active'>>,
  ): Promise<AdminRecord> =>
    inTransaction(async (tx) => {
      const { admin, isLast } = await lockAdmin(tx, email);
      const changedAdmin = { ...admin, ...fields };
      const [before, after] = [stateOf(admin), stateOf(changedAdmin)];
      if (before.role === after.role && before.active === after.active) return admin;
      if (isLast && isActiveSuperAdmin(before) && !isActiveSuperAdmin(after)) {
        throw new AppError('CONFLICT', { message: 'This is the last active super admin.' });
      }
      const at = clock.now();
      // A deactivation ends every earlier token. A later activation does not make it valid again.
      const endOfTokens =
        fields.active === false ? { passwordChangedAt: momentOfChange(at, admin.lastLoginAt) } : {};
      await updateAdmin(tx, admin.id, { ...fields, ...endOfTokens }, at);
      await audit(tx, { action, adminId: admin.id, before, after });
      return changedAdmin;
    });

  return {
    create: (admin) =>
      inTransaction(async (tx) => {
        const { id } = await createAdmin({ db: tx, clock, random, hasher }, admin);
        const newAdmin = await findAdmin(tx, id);
        invariant(newAdmin, 'a new operator is in the database');
        await audit(tx, { action: 'admin.create', adminId: id, after: stateOf(newAdmin) });
        return newAdmin;
      }),
    setRole: (email, role) => change('admin.set-role', email, { role }),
    setActive: (email, active) =>
      change(active ? 'admin.activate' : 'admin.deactivate', email, { active }),
    async resetPassword(email, password) {
      const passwordHash = await hasher.hashSecret(password);
      return inTransaction(async (tx) => {
        const { admin } = await lockAdmin(tx, email);
        const at = clock.now();
        const passwordChangedAt = momentOfChange(at, admin.lastLoginAt);
        await updateAdmin(tx, admin.id, { passwordHash, passwordChangedAt }, at);
        await guard.clear(tx, email);
        const [before, after] = [stateOf(admin), stateOf(admin)];
        await audit(tx, { action: 'admin.reset-password', adminId: admin.id, before, after });
        return admin;
      });
    },
  };
};
