import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import type { TokenSigner } from '../../platform/auth/jwt.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { SecretHasher } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { createAdminStore, type AdminRecord } from './admins.store.ts';
import type { AdminRole } from './admins.types.ts';

export interface AdminsOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  readonly tokens: TokenSigner;
  /** Life of an operator's token, in seconds: 8 hours unless configured. */
  readonly tokenTtlSeconds: number;
}

export interface SignedInAdmin {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly admin: AdminRecord;
}

export const createAdminsService = (options: AdminsOptions) => {
  const { db, clock, hasher, tokens, tokenTtlSeconds } = options;
  const store = createAdminStore(db);
  const guard = createLoginGuard({ table: 'admin_login_guard', clock });

  return {
    /**
     * One 401 for every failure, in one time.
     * @throws AppError INVALID_CREDENTIALS, LOGIN_LOCKED.
     */
    async signIn(email: string, password: string): Promise<SignedInAdmin> {
      await guard.charge(db, email);
      const admin = await store.findByEmail(email);
      const matches = await hasher.verifySecret(password, admin?.passwordHash);
      if (admin === undefined || !matches || !admin.active) {
        throw new AppError('INVALID_CREDENTIALS');
      }
      await guard.clear(db, email);
      await store.touchLogin(admin.id, clock.now());
      const claims = { sub: admin.id, email: admin.email, role: admin.role };
      const accessToken = tokens.sign(claims, tokenTtlSeconds);
      return { accessToken, expiresIn: tokenTtlSeconds, admin };
    },
  };
};

export interface NewAdmin {
  readonly email: string;
  readonly password: string;
  readonly role: AdminRole;
}

/**
 * Makes an operator: what the operator command and the development seed call (interface,
 * Authentication 10). @throws AppError CONFLICT when the email is taken.
 */
export const createAdmin = async (
  deps: { db: Db; clock: Clock; random: Random; hasher: SecretHasher },
  admin: NewAdmin,
): Promise<{ id: string }> => {
  const id = deps.random.uuid();
  const passwordHash = await deps.hasher.hashSecret(admin.password);
  const email = admin.email.trim().toLowerCase();
  try {
    await createAdminStore(deps.db).insert({
      id,
      email,
      passwordHash,
      role: admin.role,
      active: true,
      createdAt: deps.clock.now(),
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('CONFLICT', { message: 'This e-mail has an operator.', field: 'email' });
  }
  return { id };
};
