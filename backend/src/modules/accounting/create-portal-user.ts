import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { defaultPermissions, type Permission, type PortalRole } from './permissions.ts';
import { insertPortalUser } from './portal-users.store.ts';

interface NewPortalUser {
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly password: string;
  /** The role's default set unless given. */
  readonly permissions?: readonly Permission[];
}

/** Creates a portal user. @throws AppError CONFLICT when the email is taken. */
export const createPortalUser = async (
  deps: { db: Db; clock: Clock; random: Random; hasher: SecretHasher },
  user: NewPortalUser,
): Promise<{ id: string }> => {
  const id = deps.random.uuid();
  const { email, name, role, password, permissions = defaultPermissions[role] } = user;
  const passwordHash = await deps.hasher.hashSecret(password);
  try {
    await insertPortalUser(deps.db, {
      id,
      email: email.trim().toLowerCase(),
      name,
      role,
      permissions,
      passwordHash,
      active: true,
      createdAt: deps.clock.now(),
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = 'A portal user with this email already exists.';
    throw new AppError('CONFLICT', { message, field: 'email' });
  }
  return { id };
};
