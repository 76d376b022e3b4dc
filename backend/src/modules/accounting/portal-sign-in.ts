import { createKnownBrowsers } from '../../platform/auth/known-browsers.ts';
import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import { addSeconds, type Clock, addMs } from '../../platform/clock/clock.ts';
import {
  hashToken,
  resealHashes,
  type BlindIndex,
  type SecretHasher,
} from '../../platform/crypto/index.ts';
import { type Db, type InTransaction, execute, sql } from '../../platform/db/index.ts';
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
import type { PortalPrincipal } from './accounting.types.ts';
import {
  findPortalUserByEmail,
  insertPortalSession,
  recordPortalLogin,
  revokePortalSession,
  type PortalUserRecord,
} from './portal-users.store.ts';

const sessionSeconds = 8 * 60 * 60;

export interface PortalSignInDeps extends SecondFactorDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly hasher: SecretHasher;
  readonly audit: Auditor;
  readonly blindIndex: BlindIndex;
  /** SECOND_FACTOR_REQUIRED: a user without an authenticator app can do nothing but set it up. */
  readonly secondFactorRequired?: boolean;
}

interface PortalCredentials {
  readonly email: string;
  readonly password: string;
  /** The authenticator app's code or a recovery code. A user with an app needs one. */
  readonly code?: string | undefined;
  readonly browserToken?: string | undefined;
}

interface PortalSignIn {
  readonly token: string;
  readonly expiresAt: Date;
  readonly user: PortalUserRecord;
}

interface PortalAnswer extends PortalSignIn {
  readonly browserToken: string;
  readonly mustEnrolSecondFactor: boolean;
}

/** Creates the second factors of portal users. */
export const createPortalFactors = (deps: SecondFactorDeps): SecondFactors =>
  createSecondFactors(deps, 'accounting');

/** Throttles failed sign-ins by email and caller. */
export const createPortalLoginGuard = (clock: Clock) => createLoginGuard({ api: 'portal', clock });

/**
 * Opens a session, with its audit row, of the user whose password was verified. Returns undefined
 * where it was replaced.
 * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID
 */
const openSession = (
  deps: PortalSignInDeps,
  known: PortalUserRecord,
  code: string | undefined,
  { requestId, ip }: RequestContext,
): Promise<(PortalSignIn & { readonly isGuarded: boolean }) | undefined> =>
  deps.inTransaction(async (tx) => {
    const { clock, random, audit } = deps;
    const createdAt = clock.now();
    // Verifying takes a while: a password replaced or a user deactivated meanwhile is refused.
    const user = await recordPortalLogin(tx, known, createdAt);
    if (user === undefined) return undefined;
    const proof = requireProof(await createPortalFactors(deps).take(tx, user.id, code));
    const token = random.bytes(32).toString('base64url');
    const expiresAt = addSeconds(createdAt, sessionSeconds);
    const session = { id: random.uuid(), portalUserId: user.id, tokenHash: hashToken(token) };
    await insertPortalSession(tx, { ...session, createdAt, expiresAt });
    const actor = { api: 'accounting', id: user.id, email: user.email, role: user.role } as const;
    const after = proof !== undefined && { after: { secondFactor: proof } };
    await audit.record(tx, { action: 'accounting.sign-in', actor, ...after, requestId, ip });
    return { token, expiresAt, user, isGuarded: proof !== undefined };
  });

const checkPassword = async (
  deps: PortalSignInDeps,
  { email, password, code, browserToken }: PortalCredentials,
  context: RequestContext,
): Promise<PortalAnswer> => {
  const { db, inTransaction, clock, hasher } = deps;
  const factors = createPortalFactors(deps);
  const guard = createPortalLoginGuard(clock);
  const browsers = createKnownBrowsers({ ...deps, purpose: 'portal-browser' });
  const caller = browsers.callerOf(email, { ip: context.ip, browserToken });
  const { clientGone } = context;
  const waiting = { clientGone, id: caller.id, isKnown: caller.kind === 'browser' };
  const signedIn = await hasher.checkInTurn(waiting, async (verify) => {
    await guard.charge(inTransaction, email, caller);
    const known = await findPortalUserByEmail(db, email);
    if (!(await verify(password, known?.passwordHash)) || known?.active !== true) return undefined;
    // Codes after a correct password have a separate limit, which is checked before the code.
    if (code !== undefined && (await factors.isActive(db, known.id))) {
      await guard.chargeCode(inTransaction, email, caller);
    }
    return openSession(deps, known, code, context);
  });
  if (signedIn === undefined) throw new AppError('INVALID_CREDENTIALS');
  await guard.forget(db, email, caller);
  const { isGuarded, ...session } = signedIn;
  return {
    ...session,
    browserToken: browsers.tokenFor(email, caller, browserToken),
    mustEnrolSecondFactor: deps.secondFactorRequired === true && !isGuarded,
  };
};

/** Records a refused sign-in. Of the email only a keyed hash: it may be a stranger's. */
const recordRefusal = async (
  { inTransaction, audit, blindIndex }: PortalSignInDeps,
  email: string,
  error: unknown,
  context: RequestContext,
): Promise<void> => {
  if (!isAppError(error)) return;
  const { requestId, ip } = context;
  const after = { code: error.code, emailHash: blindIndex('email', email) };
  const action = 'accounting.sign-in.refused';
  await inTransaction((tx) =>
    audit.recordRefusal(tx, { action, api: 'accounting', ip, requestId, after }),
  );
};

/**
 * Signs a portal user in. Every failure is the same 401 after the same time, so that it does not
 * reveal which emails exist. Only a correct password reveals that a code is needed.
 * @throws AppError INVALID_CREDENTIALS, SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID,
 *   LOGIN_LOCKED, BUSY
 */
export const signInPortalUser = async (
  deps: PortalSignInDeps,
  credentials: PortalCredentials,
  context: RequestContext,
): Promise<PortalAnswer> => {
  try {
    return await checkPassword(deps, credentials, context);
  } catch (error) {
    await recordRefusal(deps, credentials.email, error, context);
    throw error;
  }
};

export const signOutPortalUser = async (
  { db, clock }: PortalSignInDeps,
  principal: PortalPrincipal,
): Promise<void> => {
  await revokePortalSession(db, principal.sessionId, clock.now());
};

/** Deletes expired counts of portal users' failed sign-ins. */
export const createPortalSignInPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => {
  const guard = createPortalLoginGuard(clock);
  return {
    name: 'purge-portal-sign-ins',
    deleteBatch: (limit) => guard.deleteLapsed(db, limit),
  };
};

/** After a new first pepper: seals passwords again that another one sealed. Returns how many. */
export const resealPortalPasswords = (
  {
    db,
    hasher,
  }: {
    readonly db: Db;
    readonly hasher: Pick<SecretHasher, 'currentPrefix' | 'reseal'>;
  },
  signal: AbortSignal,
): Promise<number> =>
  resealHashes(db, hasher, { table: 'portal_user', column: 'password_hash' }, signal);

/** Ended sessions are kept for the investigation of misuse. */
const keptMs = 30 * 24 * 60 * 60_000;

/** Deletes sessions of portal users that ended long ago. */
export const createPortalSessionPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'purge-portal-sessions',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM portal_session WHERE id IN (
          SELECT id FROM portal_session
          WHERE expires_at < ${addMs(clock.now(), -keptMs)}::timestamptz
          ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
    ),
});
