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
import {
  createSecondFactors,
  requireProof,
  type SecondFactorDeps,
  type SecondFactors,
} from '../second-factor/index.ts';
import { findAdminByEmail, recordAdminLogin, type AdminRecord } from './admins.store.ts';

export interface SignInAdminDeps extends SecondFactorDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid' | 'bytes'>;
  readonly hasher: SecretHasher;
  readonly tokens: TokenSigner;
  readonly audit: Auditor;
  readonly blindIndex: BlindIndex;
  /** Lifetime of an operator's token, in seconds: 8 hours unless configured. */
  readonly tokenTtlSeconds: number;
  /** SECOND_FACTOR_REQUIRED: an operator without an authenticator app can do nothing but set it up. */
  readonly secondFactorRequired?: boolean;
}

/** A token of the admin API, and its life in seconds. */
export interface AdminToken {
  readonly accessToken: string;
  readonly expiresIn: number;
}

interface SignedInAdmin extends AdminToken {
  readonly admin: AdminRecord;
  readonly browserToken: string;
  readonly mustEnrolSecondFactor: boolean;
}

/** Creates the second factors of operators. */
export const createAdminFactors = (deps: SecondFactorDeps): SecondFactors =>
  createSecondFactors(deps, 'admin');

/** Signs a token of the moment of an operator's last sign-in, which a later change ends. */
export const signAdminToken = (
  { tokens, tokenTtlSeconds }: Pick<SignInAdminDeps, 'tokens' | 'tokenTtlSeconds'>,
  { id, email, role, lastLoginAt }: AdminRecord & { readonly lastLoginAt: Date },
): AdminToken => ({
  accessToken: tokens.sign({ sub: id, email, role }, tokenTtlSeconds, lastLoginAt),
  expiresIn: tokenTtlSeconds,
});

/** Throttles failed sign-ins by email and caller. */
export const createAdminLoginGuard = (clock: Clock) => createLoginGuard({ api: 'admin', clock });

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The authenticator app's code or a recovery code. An operator with an app needs one. */
  readonly code?: string | undefined;
  readonly browserToken?: string | undefined;
}

/**
 * Records a sign-in with its audit row. Returns undefined where the password is theirs no more.
 * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID
 */
const recordSignIn = (
  deps: SignInAdminDeps,
  known: AdminRecord,
  code: string | undefined,
  { requestId, ip }: RequestContext,
) =>
  deps.inTransaction(async (tx) => {
    // Verifying takes a while: a password replaced or an operator deactivated meanwhile is refused.
    const admin = await recordAdminLogin(tx, known, deps.clock.now());
    if (admin === undefined) return undefined;
    const { id, email, role } = admin;
    const verdict = await createAdminFactors(deps).take(tx, id, code);
    const proof = requireProof(verdict);
    const actor = { api: 'admin', id, email, role } as const;
    const after = proof !== undefined && { after: { secondFactor: proof } };
    await deps.audit.record(tx, { action: 'admin.sign_in', actor, ...after, requestId, ip });
    return { admin, isGuarded: proof !== undefined };
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
  { email, password, code, browserToken }: Credentials,
  context: RequestContext,
) => {
  const { db, inTransaction, clock, hasher } = deps;
  const factors = createAdminFactors(deps);
  const guard = createAdminLoginGuard(clock);
  const browsers = createKnownBrowsers({ ...deps, purpose: 'admin-browser' });
  const caller = browsers.callerOf(email, { ip: context.ip, browserToken });
  const { clientGone } = context;
  const waiting = { clientGone, id: caller.id, isKnown: caller.kind === 'browser' };
  const signedIn = await hasher.checkInTurn(waiting, async (verify) => {
    await guard.charge(inTransaction, email, caller);
    const known = await findAdminByEmail(db, email);
    if (!(await verify(password, known?.passwordHash)) || known?.active !== true) return undefined;
    // Codes after a correct password have a separate limit, which is checked before the code.
    if (code !== undefined && (await factors.isActive(db, known.id))) {
      await guard.chargeCode(inTransaction, email, caller);
    }
    return recordSignIn(deps, known, code, context);
  });
  if (signedIn === undefined) throw new AppError('INVALID_CREDENTIALS');
  await guard.forget(db, email, caller);
  return { ...signedIn, browserToken: browsers.tokenFor(email, caller, browserToken) };
};

/**
 * Signs an operator in. Every failure is the same 401 after the same time, so that it does not
 * reveal which emails exist. Only a correct password reveals that a code is needed.
 * @throws AppError INVALID_CREDENTIALS, SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID,
 *   LOGIN_LOCKED, BUSY
 */
export const signInAdmin = async (
  deps: SignInAdminDeps,
  credentials: Credentials,
  context: RequestContext,
): Promise<SignedInAdmin> => {
  try {
    const { admin, isGuarded, browserToken } = await checkPassword(deps, credentials, context);
    const mustEnrolSecondFactor = deps.secondFactorRequired === true && !isGuarded;
    return { ...signAdminToken(deps, admin), admin, browserToken, mustEnrolSecondFactor };
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

/** After a new first pepper: seals passwords again that another one sealed. Returns how many. */
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
