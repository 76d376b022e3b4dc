import { momentOfChange } from '../../platform/auth/credential-change.ts';
import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import type { TokenSigner } from '../../platform/auth/jwt.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { resealHashes, type SecretHasher } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  createSecondFactors,
  type SecondFactorDeps,
  type SecondFactors,
} from '../second-factor/index.ts';
import type { StaffAccounts, StaffDeps, StaffRealm } from '../staff-credentials/index.ts';
import {
  findAdmin,
  findAdminByEmail,
  lockAdminById,
  recordAdminLogin,
  updateAdmin,
  type AdminRecord,
} from './admins.store.ts';
import { adminActor, type AdminPrincipal } from './admins.types.ts';

export interface SignInAdminDeps extends StaffDeps {
  readonly tokens: TokenSigner;
  /** Lifetime of an operator's token, in seconds: 8 hours unless configured. */
  readonly tokenTtlSeconds: number;
}

/** A token of the admin API, and its lifetime in seconds. */
interface AdminToken {
  readonly accessToken: string;
  readonly expiresIn: number;
}

/** Creates the second factors of operators. */
export const createAdminFactors = (deps: SecondFactorDeps): SecondFactors =>
  createSecondFactors(deps, 'admin');

/**
 * Signs a token. Its time of issue is the operator's last sign-in, so that a later change of their
 * credentials ends it.
 */
const signAdminToken = (
  { tokens, tokenTtlSeconds }: Pick<SignInAdminDeps, 'tokens' | 'tokenTtlSeconds'>,
  { id, email, role, lastLoginAt }: AdminRecord & { readonly lastLoginAt: Date },
): AdminToken => ({
  accessToken: tokens.sign({ sub: id, email, role }, tokenTtlSeconds, lastLoginAt),
  expiresIn: tokenTtlSeconds,
});

/** Throttles failed sign-ins by email and caller. */
export const createAdminLoginGuard = (clock: Clock) => createLoginGuard({ api: 'admin', clock });

/** The accounts of operators. A change that ends their tokens stores its time. */
export const operatorAccounts: StaffAccounts<AdminRecord> = {
  api: 'admin',
  noun: 'operator',
  targetType: 'admin',
  actions: {
    signIn: 'admin.sign_in',
    refuseSignIn: 'admin.sign_in_refused',
    changePassword: 'admin.change_password',
    enrolFactor: 'admin.second_factor.enrol',
    confirmFactor: 'admin.second_factor.confirm',
    renewRecoveryCodes: 'admin.second_factor.recovery_codes',
    disableFactor: 'admin.second_factor.disable',
  },
  createLoginGuard: createAdminLoginGuard,
  createFactors: createAdminFactors,
  find: findAdmin,
  findByEmail: findAdminByEmail,
  lock: lockAdminById,
  async endSignIns(tx, { id, lastLoginAt }, at) {
    await updateAdmin(tx, id, { passwordChangedAt: momentOfChange(at, lastLoginAt) }, at);
  },
};

/** Wires the sign-in and the credentials of operators. A change of these returns a new token. */
export const createOperatorRealm = (
  deps: SignInAdminDeps,
): StaffRealm<AdminRecord, AdminPrincipal, AdminToken & { admin: AdminRecord }, AdminToken> => ({
  deps,
  accounts: operatorAccounts,
  idOf: ({ adminId }) => adminId,
  actorOf: adminActor,
  async recordLogin(tx, known, at) {
    const admin = await recordAdminLogin(tx, known, at);
    return (
      admin && { account: admin, open: async () => ({ ...signAdminToken(deps, admin), admin }) }
    );
  },
  async renewSignIn(tx, admin, _principal, passwordHash = admin.passwordHash) {
    const at = deps.clock.now();
    const passwordChangedAt = momentOfChange(at, admin.lastLoginAt);
    await updateAdmin(tx, admin.id, { passwordHash, passwordChangedAt }, at);
    const renewed = await recordAdminLogin(tx, { id: admin.id, passwordHash }, at);
    invariant(renewed, 'a locked operator is there');
    return signAdminToken(deps, renewed);
  },
});

/**
 * Seals the hashes of passwords with the first pepper if another pepper sealed them. Returns their
 * number.
 */
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
