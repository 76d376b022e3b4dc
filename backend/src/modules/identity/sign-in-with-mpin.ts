import { countTry } from '../../platform/auth/counted-tries.ts';
import type { BlindIndex, SecretHasher } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { isActive, type ActiveUser, type SignedIn } from './identity.types.ts';
import {
  clearMpinTries,
  findMpinHolder,
  lockMpinGuard,
  lockMpinHolder,
  saveMpinTries,
} from './mpin.store.ts';
import { hashesOfPhone } from './phone.ts';
import { recordRefusedSignIn } from './record-refused-sign-in.ts';
import {
  completeSignIn,
  openSession,
  type Device,
  type OpenedSession,
  type SessionsDeps,
} from './sessions.ts';
import { findUser } from './users.store.ts';

export interface SignInWithMpinDeps extends SessionsDeps {
  readonly db: Db;
  readonly hasher: SecretHasher;
  readonly blindIndex: BlindIndex;
}

interface MpinSignIn extends Device {
  readonly phone: string;
  readonly mpin: string;
}

type Attempt = MpinSignIn & { readonly ip: string };

type Result =
  | { readonly kind: 'locked'; readonly retryAfterSeconds: number }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'signed-in'; readonly user: ActiveUser; readonly opened: OpenedSession };

/**
 * Counts a try before it is judged, so that parallel guesses cannot outrun the count; only a right
 * MPIN takes it back. Unregistered phone numbers are counted like all others.
 */
const chargeTry = (deps: SignInWithMpinDeps, { phone, ip }: Attempt) =>
  deps.inTransaction(async (tx) => {
    const hashes = hashesOfPhone(deps.blindIndex, phone);
    const counted = countTry(await lockMpinGuard(tx, hashes), deps.clock.now());
    if (counted.kind === 'judge') await saveMpinTries(tx, hashes[0], counted.next);
    else await recordRefusedSignIn(deps, tx, { phone, ip, locks: false });
    return counted;
  });

/**
 * Records an incorrect MPIN. The guard is written again, so that an unregistered phone number costs
 * a commit too.
 */
const refuse = (
  deps: SignInWithMpinDeps,
  { phone, ip }: Attempt,
  locks: boolean,
): Promise<Result> =>
  deps.inTransaction(async (tx) => {
    await lockMpinGuard(tx, hashesOfPhone(deps.blindIndex, phone));
    await recordRefusedSignIn(deps, tx, { phone, ip, locks });
    return { kind: 'wrong' };
  });

/** Opens the session of the customer whose MPIN was verified; undefined where it was replaced. */
const openVerified = (
  deps: SignInWithMpinDeps,
  holder: { readonly id: string; readonly mpinHash: string },
  { phone, deviceId, deviceName, ip }: Attempt,
): Promise<Result | undefined> =>
  deps.inTransaction(async (tx) => {
    // Verifying takes a while: an MPIN replaced meanwhile is refused.
    if (!(await lockMpinHolder(tx, holder))) return undefined;
    const user = await findUser(tx, holder.id);
    await clearMpinTries(tx, hashesOfPhone(deps.blindIndex, phone));
    if (user === undefined || !isActive(user)) {
      await recordRefusedSignIn(deps, tx, { phone, ip, locks: false });
      return { kind: 'unavailable' };
    }
    const opened = await openSession(deps, tx, user.id, { deviceId, deviceName, ip });
    return { kind: 'signed-in', user, opened };
  });

/**
 * Signs in with phone and MPIN. An unregistered phone number, an account without an MPIN and an
 * incorrect MPIN get the same answer after the same time (contract: identity-and-kyc > MPIN).
 * @throws AppError INVALID_CREDENTIALS, MPIN_LOCKED, ACCOUNT_UNAVAILABLE (the MPIN is right, and
 * the customer is blocked), BUSY.
 */
export const signInWithMpin = async (
  deps: SignInWithMpinDeps,
  signIn: MpinSignIn,
  { ip, clientGone }: Pick<RequestContext, 'ip' | 'clientGone'>,
): Promise<SignedIn> => {
  const { db, hasher } = deps;
  const attempt = { ...signIn, ip };
  const result = await hasher.checkInTurn(clientGone, async (verify): Promise<Result> => {
    const charged = await chargeTry(deps, attempt);
    if (charged.kind === 'locked') return charged;
    const holder = await findMpinHolder(db, signIn.phone);
    const isRight = await verify(signIn.mpin, holder?.mpinHash ?? undefined);
    const verified =
      isRight && holder?.mpinHash
        ? await openVerified(deps, { id: holder.id, mpinHash: holder.mpinHash }, attempt)
        : undefined;
    return verified ?? refuse(deps, attempt, charged.locks);
  });
  if (result.kind === 'locked') {
    throw new AppError('MPIN_LOCKED', { retryAfterSeconds: result.retryAfterSeconds });
  }
  if (result.kind === 'wrong') throw new AppError('INVALID_CREDENTIALS');
  if (result.kind === 'unavailable') throw new AppError('ACCOUNT_UNAVAILABLE');
  return completeSignIn(deps, result.user, result.opened);
};
