import { createKnownBrowsers } from '../../platform/auth/known-browsers.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { requireProof } from '../second-factor/index.ts';
import type { StaffAccount, StaffRealm } from './staff.types.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The authenticator app's code or a recovery code. An account with an app needs one. */
  readonly code?: string | undefined;
  readonly browserToken?: string | undefined;
}

interface SignedIn<SignIn> {
  readonly signIn: SignIn;
  readonly browserToken: string;
  readonly mustEnrolSecondFactor: boolean;
}

const browserPurposes = { admin: 'admin-browser', accounting: 'portal-browser' } as const;

/**
 * Records a sign-in with its audit row. Returns undefined if the password was replaced or the
 * account was deactivated meanwhile.
 * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID
 */
const recordSignIn = <A extends StaffAccount, P, S, R>(
  { deps, accounts, recordLogin }: StaffRealm<A, P, S, R>,
  account: A,
  code: string | undefined,
  { requestId, ip }: RequestContext,
) =>
  deps.inTransaction(async (tx) => {
    // The check takes a while, so this reads the password and the active flag once more.
    const login = await recordLogin(tx, account, deps.clock.now());
    if (login === undefined) return undefined;
    const { id, email, role } = login.account;
    const proof = requireProof(await accounts.createFactors(deps).consumeCode(tx, id, code));
    const signIn = await login.open();
    const actor = { api: accounts.api, id, email, role };
    const after = proof !== undefined && { after: { secondFactor: proof } };
    await deps.audit.record(tx, {
      action: accounts.actions.signIn,
      actor,
      ...after,
      requestId,
      ip,
    });
    return { signIn, isGuarded: proof !== undefined };
  });

/** Signs a person in by password and code. @throws AppError as `signInStaff` */
const signIn = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  { email, password, code, browserToken }: Credentials,
  context: RequestContext,
): Promise<SignedIn<S>> => {
  const { deps, accounts } = realm;
  const { db, inTransaction, clock, hasher } = deps;
  const factors = accounts.createFactors(deps);
  const guard = accounts.createLoginGuard(clock);
  const browsers = createKnownBrowsers({ ...deps, purpose: browserPurposes[accounts.api] });
  const caller = browsers.callerOf(email, { ip: context.ip, browserToken });
  const { clientGone } = context;
  const passwordCaller = { clientGone, id: caller.id, isKnown: caller.kind === 'browser' };
  const signedIn = await hasher.checkInTurn(passwordCaller, async (verify) => {
    await guard.charge(inTransaction, email, caller);
    const account = await accounts.findByEmail(db, email);
    if (!(await verify(password, account?.passwordHash)) || account?.active !== true)
      return undefined;
    // The caller knows the password, so codes are counted apart from it, and before they are judged.
    if (code !== undefined && (await factors.isActive(db, account.id))) {
      await guard.chargeCode(inTransaction, email, caller);
    }
    return recordSignIn(realm, account, code, context);
  });
  if (signedIn === undefined) throw new AppError('INVALID_CREDENTIALS');
  await guard.forget(db, email, caller);
  return {
    signIn: signedIn.signIn,
    browserToken: browsers.tokenFor(email, caller, browserToken),
    mustEnrolSecondFactor: deps.secondFactorRequired === true && !signedIn.isGuarded,
  };
};

/** Records a refused sign-in with a keyed hash of the email, which may be a stranger's. */
const recordRefusal = async <A extends StaffAccount, P, S, R>(
  { deps, accounts }: StaffRealm<A, P, S, R>,
  email: string,
  error: unknown,
  { requestId, ip }: RequestContext,
): Promise<void> => {
  if (!isAppError(error)) return;
  const { api, actions } = accounts;
  const after = { code: error.code, emailHash: deps.blindIndex('email', email) };
  const refusal = { action: actions.refuseSignIn, api, ip, requestId, after };
  await deps.inTransaction((tx) => deps.audit.recordRefusal(tx, refusal));
};

/**
 * Signs a person in, and records a refusal. A wrong email and a wrong password get the same 401
 * after the same time, so that the response does not reveal which emails exist. Only a client with
 * the right password learns that a code is needed.
 * @throws AppError INVALID_CREDENTIALS, SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID,
 * LOGIN_LOCKED, BUSY
 */
export const signInStaff = async <A extends StaffAccount, P, S, R>(
  realm: StaffRealm<A, P, S, R>,
  credentials: Credentials,
  context: RequestContext,
): Promise<SignedIn<S>> => {
  try {
    return await signIn(realm, credentials, context);
  } catch (error) {
    await recordRefusal(realm, credentials.email, error, context);
    throw error;
  }
};
