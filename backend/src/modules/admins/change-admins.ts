import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { createAdmin, type NewAdmin } from './admins.service.ts';
import { createAdminStore, type AdminRecord } from './admins.store.ts';
import type { AdminRole } from './admins.types.ts';

/** What an audit row of a change says of the operator: nothing secret. */
export interface AdminState {
  readonly email: string;
  readonly role: AdminRole;
  readonly active: boolean;
}

export interface AdminChange {
  /** `admin.create`, `admin.set-role`, `admin.activate`, `admin.deactivate`, `admin.reset-password`. */
  readonly action: string;
  readonly adminId: string;
  readonly before?: AdminState;
  readonly after: AdminState;
}

export interface AdminChangesOptions {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  /** Writes the audit row, in the transaction of the change. */
  readonly audit: (db: Db, change: AdminChange) => Promise<void>;
}

/** Emails are as stored: in lower case. All but `list` audit what they change. */
export interface AdminChanges {
  /** @throws AppError CONFLICT when the email is taken. */
  create(admin: NewAdmin): Promise<AdminRecord>;
  /** @throws AppError NOT_FOUND; CONFLICT for the last active super admin. */
  setRole(email: string, role: AdminRole): Promise<AdminRecord>;
  /** @throws AppError NOT_FOUND; CONFLICT for the last active super admin. */
  setActive(email: string, active: boolean): Promise<AdminRecord>;
  /**
   * Also ends what is signed in with the old one, and lifts a lock that failed sign-ins left.
   * @throws AppError NOT_FOUND
   */
  resetPassword(email: string, password: string): Promise<AdminRecord>;
}

const stateOf = ({ email, role, active }: AdminRecord): AdminState => ({ email, role, active });

const isActiveSuperAdmin = ({ role, active }: AdminState): boolean =>
  role === 'SUPER_ADMIN' && active;

/**
 * Locks the operator, after the active super admins: two at once that would each leave the other
 * as the last one go one after the other.
 */
const lockAdmin = async (tx: Db, email: string) => {
  const store = createAdminStore(tx);
  const superAdmins = await store.lockActiveSuperAdmins();
  const admin = await store.lockByEmail(email);
  if (admin === undefined) {
    throw new AppError('NOT_FOUND', { message: `No operator has ${email}.`, field: 'email' });
  }
  return { store, admin, isLast: superAdmins.every((id) => id === admin.id) };
};

/** Makes and changes operators: what the operator command does (interface, Authentication 10). */
export const createAdminChanges = (options: AdminChangesOptions): AdminChanges => {
  const { inTransaction, clock, random, hasher, audit } = options;
  const guard = createLoginGuard({ table: 'admin_login_guard', clock });

  const change = async (
    action: string,
    email: string,
    to: Partial<Pick<AdminRecord, 'role' | 'active'>>,
  ): Promise<AdminRecord> =>
    inTransaction(async (tx) => {
      const { store, admin, isLast } = await lockAdmin(tx, email);
      const changed = { ...admin, ...to };
      const [before, after] = [stateOf(admin), stateOf(changed)];
      if (before.role === after.role && before.active === after.active) return admin;
      if (isLast && isActiveSuperAdmin(before) && !isActiveSuperAdmin(after)) {
        throw new AppError('CONFLICT', { message: 'This is the last active super admin.' });
      }
      await store.change(admin.id, to, clock.now());
      await audit(tx, { action, adminId: admin.id, before, after });
      return changed;
    });

  return {
    create: (admin) =>
      inTransaction(async (tx) => {
        const { id } = await createAdmin({ db: tx, clock, random, hasher }, admin);
        const made = await createAdminStore(tx).findById(id);
        if (made === undefined) throw new Error('a new operator vanished');
        await audit(tx, { action: 'admin.create', adminId: id, after: stateOf(made) });
        return made;
      }),
    setRole: (email, role) => change('admin.set-role', email, { role }),
    setActive: (email, active) =>
      change(active ? 'admin.activate' : 'admin.deactivate', email, { active }),
    async resetPassword(email, password) {
      const passwordHash = await hasher.hashSecret(password);
      return inTransaction(async (tx) => {
        const { store, admin } = await lockAdmin(tx, email);
        const passwordChangedAt = clock.now();
        await store.change(admin.id, { passwordHash, passwordChangedAt }, passwordChangedAt);
        await guard.clear(tx, email);
        const [before, after] = [stateOf(admin), stateOf(admin)];
        await audit(tx, { action: 'admin.reset-password', adminId: admin.id, before, after });
        return admin;
      });
    },
  };
};
