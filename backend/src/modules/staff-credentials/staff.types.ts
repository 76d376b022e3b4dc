import type { LoginGuard } from '../../platform/auth/login-guard.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex, SecretHasher } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';
import type { SecondFactorDeps, SecondFactors } from '../second-factor/index.ts';

/** The fields of an operator or a portal user that a sign-in needs. */
export interface StaffAccount {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly passwordHash: string;
  readonly active: boolean;
}

/** The accounts of one API. The API's own module reads and writes their rows. */
export interface StaffAccounts<Account extends StaffAccount> {
  readonly api: 'admin' | 'accounting';
  /** The word for a person in an error message. */
  readonly noun: string;
  readonly targetType: 'admin' | 'portal_user';
  /** The actions of the audit rows. */
  readonly actions: {
    readonly signIn: string;
    readonly refuseSignIn: string;
    readonly changePassword: string;
    readonly enrolFactor: string;
    readonly confirmFactor: string;
    readonly renewRecoveryCodes: string;
    readonly disableFactor: string;
  };
  createLoginGuard(clock: Clock): LoginGuard;
  createFactors(deps: SecondFactorDeps): SecondFactors;
  find(db: Db, id: string): Promise<Account | undefined>;
  findByEmail(db: Db, email: string): Promise<Account | undefined>;
  /** Locks an account until the transaction ends. */
  lock(tx: Db, id: string): Promise<Account | undefined>;
  /** Ends every sign-in of an account. The caller has locked it. */
  endSignIns(tx: Db, account: Account, at: Date): Promise<void>;
}

export interface StaffDeps extends SecondFactorDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly hasher: SecretHasher;
  readonly audit: Auditor;
  readonly blindIndex: BlindIndex;
  /** SECOND_FACTOR_REQUIRED is true if a person without an authenticator app can only set one up. */
  readonly secondFactorRequired?: boolean;
}

/** The person who is signed in, and their request. */
export interface StaffCaller<Principal> {
  readonly principal: Principal;
  readonly context: RequestContext;
}

/** Ties sign-in and the change of credentials to the accounts and sessions of one API. */
export interface StaffRealm<Account extends StaffAccount, Principal, SignIn, Renewal> {
  readonly deps: StaffDeps;
  readonly accounts: StaffAccounts<Account>;
  readonly idOf: (principal: Principal) => string;
  /** Returns the actor, request id and address of an audit row. */
  readonly actorOf: (
    principal: Principal,
    context: RequestContext,
  ) => Pick<AuditEntry, 'requestId' | 'ip'> & {
    readonly actor: AuditEntry['actor'] & { readonly email: string };
  };
  /**
   * Records a sign-in, and returns the account as the same statement finds it, with a function that
   * opens the session. Returns undefined if the verified password was replaced or the account was
   * deactivated meanwhile.
   */
  readonly recordLogin: (
    tx: Db,
    known: Account,
    at: Date,
  ) => Promise<{ readonly account: Account; open(): Promise<SignIn> } | undefined>;
  /**
   * Ends the other sign-ins of an account, and stores the hash of a new password if one is given.
   * The caller has locked the account. Returns a new token if the API ends the person's own token
   * too.
   */
  renewSignIn(
    tx: Db,
    account: Account,
    principal: Principal,
    passwordHash?: string,
  ): Promise<Renewal>;
}
