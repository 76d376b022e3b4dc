import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { defaultPermissions, type Permission, type PortalRole } from './permissions.ts';
import { insertPortalUser } from './portal-users.store.ts';

export interface NewPortalUser {
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly password: string;
  /** The role's default set unless given. */
  readonly permissions?: readonly Permission[] | undefined;
}

/** Runs a write of an email. @throws AppError CONFLICT when another portal user has it. */
export const withFreeEmail = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'A portal user with this email already exists.';
    throw new AppError('CONFLICT', { message, field: 'email' });
  }
};

/** Writes a new portal user whose password is hashed. @throws AppError CONFLICT: see withFreeEmail */
export const storePortalUser = async (
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
