import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import { addSeconds, type Clock } from '../../platform/clock/clock.ts';
import { hashToken, type SecretHasher } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Auditor } from '../audit/index.ts';
import type { PortalPrincipal } from './accounting.types.ts';
import { defaultPermissions, type Permission, type PortalRole } from './permissions.ts';
import {
  createPortalSessionStore,
  createPortalUserStore,
  type PortalUserRecord,
} from './portal-users.store.ts';

/** 8 hours (decisions, section 8). */
const sessionSeconds = 8 * 60 * 60;

export interface PortalAuthOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  readonly audit: Auditor;
}

export interface PortalSignIn {
  readonly token: string;
  readonly expiresAt: Date;
  readonly user: PortalUserRecord;
}

export const createPortalAuthService = (options: PortalAuthOptions) => {
  const { db, clock, random, hasher, audit } = options;
  const users = createPortalUserStore(db);
  const sessions = createPortalSessionStore(db);
  const guard = createLoginGuard({ table: 'portal_login_guard', clock });

  const check = async (email: string, password: string): Promise<PortalUserRecord> => {
    await guard.charge(db, email);
    const user = await users.findByEmail(email);
    const matches = await hasher.verifySecret(password, user?.passwordHash);
    if (user === undefined || !matches || !user.active) throw new AppError('INVALID_CREDENTIALS');
    await guard.clear(db, email);
    return user;
  };

  /** Every refusal writes an audit row, a sign-in's too; the e-mail may be a typo, so it stays out. */
  const recordRefusal = async (error: unknown, context: RequestContext): Promise<void> => {
    if (!isAppError(error)) return;
    await audit.record(db, {
      action: 'accounting.sign-in.refused',
      outcome: 'REFUSED',
      actor: { api: 'accounting' },
      after: { code: error.code },
      requestId: context.requestId,
      ip: context.ip,
    });
  };

  return {
    /**
     * One 401 for every failure, in one time.
     * @throws AppError INVALID_CREDENTIALS, LOGIN_LOCKED.
     */
    async signIn(email: string, password: string, context: RequestContext): Promise<PortalSignIn> {
      try {
        const user = await check(email, password);
        const token = random.bytes(32).toString('base64url');
        const createdAt = clock.now();
        const expiresAt = addSeconds(createdAt, sessionSeconds);
        const tokenHash = hashToken(token);
        const id = random.uuid();
        await sessions.insert({ id, portalUserId: user.id, tokenHash, createdAt, expiresAt });
        await users.touchLogin(user.id, createdAt);
        return { token, expiresAt, user };
      } catch (error) {
        await recordRefusal(error, context);
        throw error;
      }
    },

    async signOut(principal: PortalPrincipal): Promise<void> {
      await sessions.revoke(principal.sessionId, clock.now());
    },
  };
};

export interface NewPortalUser {
  readonly email: string;
  readonly name: string;
  readonly role: PortalRole;
  readonly password: string;
  /** The role's default set unless given. */
  readonly permissions?: readonly Permission[];
}

/** Makes a portal user. @throws AppError CONFLICT when the e-mail is taken. */
export const createPortalUser = async (
  deps: { db: Db; clock: Clock; random: Random; hasher: SecretHasher },
  user: NewPortalUser,
): Promise<{ id: string }> => {
  const id = deps.random.uuid();
  const { email, name, role, password, permissions = defaultPermissions[role] } = user;
  const passwordHash = await deps.hasher.hashSecret(password);
  try {
    await createPortalUserStore(deps.db).insert({
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
    throw new AppError('CONFLICT', { message: 'This e-mail has an account.', field: 'email' });
  }
  return { id };
};
