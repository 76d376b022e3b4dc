import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import type { TokenSigner } from '../../platform/auth/jwt.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { resealHashes, type SecretHasher } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { findAdminByEmail, recordAdminLogin, type AdminRecord } from './admins.store.ts';

export interface SignInAdminDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly hasher: SecretHasher;
  readonly tokens: TokenSigner;
  /** Lifetime of an operator's token, in seconds: 8 hours unless configured. */
  readonly tokenTtlSeconds: number;
}

interface SignedInAdmin {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly admin: AdminRecord;
}

/** Throttles failed sign-ins by email. */
export const createAdminLoginGuard = (clock: Clock) =>
  createLoginGuard({ table: 'admin_login_guard', clock });

/**
 * Signs an operator in. Every failure is the same 401 after the same time, so that nobody learns
 * which emails exist. @throws AppError INVALID_CREDENTIALS, LOGIN_LOCKED, BUSY.
 */
export const signInAdmin = async (
  deps: SignInAdminDeps,
  { email, password }: { readonly email: string; readonly password: string },
  { clientGone }: Pick<RequestContext, 'clientGone'>,
): Promise<SignedInAdmin> => {
  const { db, clock, hasher, tokens, tokenTtlSeconds } = deps;
  const guard = createAdminLoginGuard(clock);
  const admin = await hasher.checkInTurn(clientGone, async (verify) => {
    await guard.charge(db, email);
    const known = await findAdminByEmail(db, email);
    if (!(await verify(password, known?.passwordHash)) || known === undefined) return undefined;
    // Verifying takes a while: a password replaced or an operator deactivated meanwhile is refused.
    return recordAdminLogin(db, known, clock.now());
  });
  if (admin === undefined) throw new AppError('INVALID_CREDENTIALS');
  await guard.clear(db, email);
  // Issued when it was recorded: a change since then ends it, however late it is signed.
  const claims = { sub: admin.id, email: admin.email, role: admin.role };
  const accessToken = tokens.sign(claims, tokenTtlSeconds, admin.lastLoginAt);
  return { accessToken, expiresIn: tokenTtlSeconds, admin };
};

/** Deletes one batch of expired counts of failed sign-ins. */
export const purgeAdminSignIns = ({ db, clock }: { db: Db; clock: Clock }): Promise<void> =>
  createAdminLoginGuard(clock).purge(db);

/** After a new first pepper: seals passwords anew that another one sealed. Returns how many. */
export const resealAdminPasswords = (
  {
    db,
    hasher,
  }: {
    readonly db: Db;
    readonly hasher: Pick<SecretHasher, 'currentPrefix' | 'reseal'>;
  },
  signal: AbortSignal,
): Promise<number> =>
  resealHashes(db, hasher, { table: 'admin_user', column: 'password_hash' }, signal);
