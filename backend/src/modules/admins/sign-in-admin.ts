import { createKnownBrowsers } from '../../platform/auth/known-browsers.ts';
import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import type { TokenSigner } from '../../platform/auth/jwt.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { resealHashes, type BlindIndex, type SecretHasher } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import type { Auditor } from '../audit/index.ts';
import { findAdminByEmail, recordAdminLogin, type AdminRecord } from './admins.store.ts';

export interface SignInAdminDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly hasher: SecretHasher;
  readonly tokens: TokenSigner;
  readonly audit: Auditor;
  readonly blindIndex: BlindIndex;
  /** Lifetime of an operator's token, in seconds: 8 hours unless configured. */
  readonly tokenTtlSeconds: number;
}

interface SignedInAdmin {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly admin: AdminRecord;
  readonly browserToken: string;
}

/** Throttles failed sign-ins by email and caller. */
export const createAdminLoginGuard = (clock: Clock) => createLoginGuard({ api: 'admin', clock });

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly browserToken?: string | undefined;
}

/** Records a sign-in with its audit row; undefined where the password is theirs no more. */
const recordSignIn = (
  { inTransaction, clock, audit }: SignInAdminDeps,
  known: AdminRecord,
  { requestId, ip }: RequestContext,
) =>
  inTransaction(async (tx) => {
    // Verifying takes a while: a password replaced or an operator deactivated meanwhile is refused.
    const admin = await recordAdminLogin(tx, known, clock.now());
    if (admin === undefined) return undefined;
    const { id, email, role } = admin;
    const actor = { api: 'admin', id, email, role } as const;
    await audit.record(tx, { action: 'admin.sign_in', actor, requestId, ip });
    return admin;
  });

/** Records a refused sign-in. Of the email only a keyed hash: it may be a stranger's. */
const recordRefusal = async (
  { inTransaction, audit, blindIndex }: SignInAdminDeps,
  email: string,
  error: unknown,
  { requestId, ip }: RequestContext,
): Promise<void> => {
  if (!isAppError(error)) return;
  const after = { code: error.code, emailHash: blindIndex('email', email) };
  const refusal = { action: 'admin.sign_in_refused', api: 'admin', ip, requestId, after } as const;
  await inTransaction((tx) => audit.recordRefusal(tx, refusal));
};

const checkPassword = async (
  deps: SignInAdminDeps,
  { email, password, browserToken }: Credentials,
  context: RequestContext,
) => {
  const { db, inTransaction, clock, hasher } = deps;
  const guard = createAdminLoginGuard(clock);
  const browsers = createKnownBrowsers({ ...deps, purpose: 'admin-browser' });
  const caller = browsers.callerOf(email, { ip: context.ip, browserToken });
  const { clientGone } = context;
  const waiting = { clientGone, id: caller.id, isKnown: caller.kind === 'browser' };
  const admin = await hasher.checkInTurn(waiting, async (verify) => {
    await guard.charge(inTransaction, email, caller);
    const known = await findAdminByEmail(db, email);
    if (!(await verify(password, known?.passwordHash)) || known === undefined) return undefined;
    return recordSignIn(deps, known, context);
  });
  if (admin === undefined) throw new AppError('INVALID_CREDENTIALS');
  await guard.forget(db, email, caller);
  return { admin, browserToken: browsers.tokenFor(email, caller, browserToken) };
};

/**
 * Signs an operator in. Every failure is the same 401 after the same time, so that nobody learns
 * which emails exist. @throws AppError INVALID_CREDENTIALS, LOGIN_LOCKED, BUSY.
 */
export const signInAdmin = async (
  deps: SignInAdminDeps,
  credentials: Credentials,
  context: RequestContext,
): Promise<SignedInAdmin> => {
  const { tokens, tokenTtlSeconds } = deps;
  try {
    const { admin, browserToken } = await checkPassword(deps, credentials, context);
    // Issued when it was recorded: a change since then ends it, however late it is signed.
    const claims = { sub: admin.id, email: admin.email, role: admin.role };
    const accessToken = tokens.sign(claims, tokenTtlSeconds, admin.lastLoginAt);
    return { accessToken, expiresIn: tokenTtlSeconds, admin, browserToken };
  } catch (error) {
    await recordRefusal(deps, credentials.email, error, context);
    throw error;
  }
};

/** Deletes expired counts of operators' failed sign-ins. */
export const createAdminSignInPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => {
  const guard = createAdminLoginGuard(clock);
  return {
    name: 'purge-admin-sign-ins',
    deleteBatch: (limit) => guard.deleteLapsed(db, limit),
  };
};

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
