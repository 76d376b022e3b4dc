import { createLoginGuard } from '../../platform/auth/login-guard.ts';
import { addSeconds, type Clock } from '../../platform/clock/clock.ts';
import { hashToken, resealHashes, type SecretHasher } from '../../platform/crypto/index.ts';
import { type Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import {
  createSecondFactors,
  type SecondFactorDeps,
  type SecondFactors,
} from '../second-factor/index.ts';
import type { StaffAccounts, StaffDeps, StaffRealm } from '../staff-credentials/index.ts';
import { portalActor, type PortalPrincipal } from './accounting.types.ts';
import {
  findPortalUser,
  findPortalUserByEmail,
  insertPortalSession,
  lockPortalUser,
  recordPortalLogin,
  revokePortalSession,
  revokePortalSessions,
  updatePortalUser,
  type PortalUserRecord,
} from './portal-users.store.ts';

const sessionSeconds = 8 * 60 * 60;

export interface PortalSignInDeps extends StaffDeps {
  readonly random: Random;
}

interface PortalSession {
  readonly token: string;
  readonly expiresAt: Date;
  readonly user: PortalUserRecord;
}

/** Creates the second factors of portal users. */
export const createPortalFactors = (deps: SecondFactorDeps): SecondFactors =>
  createSecondFactors(deps, 'accounting');

/** Creates the guard that limits failed sign-ins by email and by caller. */
export const createPortalLoginGuard = (clock: Clock) => createLoginGuard({ api: 'portal', clock });

const openSession = async (
  { random }: Pick<PortalSignInDeps, 'random'>,
  tx: Db,
  user: PortalUserRecord,
  createdAt: Date,
): Promise<PortalSession> => {
  const token = random.bytes(32).toString('base64url');
  const expiresAt = addSeconds(createdAt, sessionSeconds);
  const session = { id: random.uuid(), portalUserId: user.id, tokenHash: hashToken(token) };
  await insertPortalSession(tx, { ...session, createdAt, expiresAt });
  return { token, expiresAt, user };
};

/** The accounts of portal users. */
export const portalAccounts: StaffAccounts<PortalUserRecord> = {
  api: 'accounting',
  noun: 'portal user',
  targetType: 'portal_user',
  actions: {
    signIn: 'accounting.sign-in',
    refuseSignIn: 'accounting.sign-in.refused',
    changePassword: 'portal-user.change-password',
    enrolFactor: 'portal-user.second-factor.enrol',
    confirmFactor: 'portal-user.second-factor.confirm',
    renewRecoveryCodes: 'portal-user.second-factor.recovery-codes',
    disableFactor: 'portal-user.second-factor.disable',
  },
  createLoginGuard: createPortalLoginGuard,
  createFactors: createPortalFactors,
  find: findPortalUser,
  findByEmail: findPortalUserByEmail,
  lock: (tx, id) => lockPortalUser(tx, { id }),
  endSignIns: (tx, { id }, at) => revokePortalSessions(tx, id, at),
};

/**
 * Wires how portal users sign in and change their credentials. A change keeps the session in which
 * it was made and ends the user's other sessions.
 */
export const createPortalRealm = (
  deps: PortalSignInDeps,
): StaffRealm<PortalUserRecord, PortalPrincipal, PortalSession, void> => ({
  deps,
  accounts: portalAccounts,
  idOf: ({ portalUserId }) => portalUserId,
  actorOf: portalActor,
  async recordLogin(tx, known, at) {
    const user = await recordPortalLogin(tx, known, at);
    return user && { account: user, open: () => openSession(deps, tx, user, at) };
  },
  async renewSignIn(tx, { id }, { sessionId }, passwordHash) {
    const at = deps.clock.now();
    if (passwordHash !== undefined) await updatePortalUser(tx, id, { passwordHash }, at);
    await revokePortalSessions(tx, id, at, sessionId);
  },
});

export const signOutPortalUser = async (
  { db, clock }: PortalSignInDeps,
  principal: PortalPrincipal,
): Promise<void> => {
  await revokePortalSession(db, principal.sessionId, clock.now());
};

/**
 * Seals the passwords again that an earlier pepper sealed. It is needed after the first pepper of
 * the configuration has changed. Returns the number of passwords.
 */
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
