import { createTotpSecret, periodOfCode, toBase32, totpAddress } from '../../platform/auth/totp.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import { hashToken, type Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Random } from '../../platform/ids/random.ts';
import { factorContext } from './factor-sealing.ts';
import {
  consumeRecoveryCode,
  countRecoveryCodes,
  deleteFactor,
  findFactor,
  insertFactor,
  listFactorOwners,
  lockFactor,
  replaceRecoveryCodes,
  updateFactor,
  type FactorOwner,
  type FactorRecord,
} from './second-factor.store.ts';

export interface SecondFactorDeps {
  readonly vault: Pick<Vault, 'service'>;
  readonly random: Pick<Random, 'uuid' | 'bytes'>;
  /** The clock of real time, since people's phones do not follow business time. */
  readonly wall: Clock;
}

/** The proof that a person gives besides the password. */
type FactorProof = 'app' | 'recovery code';

/**
 * The verdict on a code. `none` means that the person has no active factor, so they need no code.
 * `missing` and `refused` do not admit them.
 */
type FactorVerdict = FactorProof | 'none' | 'missing' | 'refused';

export interface FactorState {
  readonly state: 'NONE' | 'PENDING' | 'ACTIVE';
  readonly confirmedAt: Date | null;
  readonly recoveryCodesLeft: number;
}

/** Every change runs in a transaction that has locked the row of the person's account. */
export interface SecondFactors {
  read(db: Db, ownerId: string): Promise<FactorState>;
  isActive(db: Db, ownerId: string): Promise<boolean>;
  /** Returns the ids of all people whose factor is active. */
  listActive(db: Db): Promise<ReadonlySet<string>>;
  /**
   * Makes a secret, which replaces an unconfirmed one.
   * @throws AppError CONFLICT if a factor is active
   */
  enrol(tx: Db, ownerId: string, label: string): Promise<{ secret: string; address: string }>;
  /**
   * Activates the factor by its first code, and returns the recovery codes.
   * @throws AppError CONFLICT if there is no factor to confirm, SECOND_FACTOR_INVALID
   */
  confirm(tx: Db, ownerId: string, code: string): Promise<readonly string[]>;
  /** Checks a code and uses it up, so that this code and every earlier code are refused later. */
  consumeCode(tx: Db, ownerId: string, code: string | undefined): Promise<FactorVerdict>;
  /** Replaces the recovery codes. @throws AppError CONFLICT if no factor is active */
  renewRecoveryCodes(tx: Db, ownerId: string): Promise<readonly string[]>;
  /** Removes the factor, and returns its last state. */
  remove(tx: Db, ownerId: string): Promise<FactorState['state']>;
}

const issuers = { admin: 'Digital Gold', accounting: 'Digital Gold accounting' } as const;

const recoveryCodeCount = 10;
/** A code has 80 random bits. No table of hashes contains so many, so SHA-256 is enough. */
const recoveryCodeBytes = 10;

/** Removes blanks and hyphens, and makes letters capitals, since people type codes in any form. */
const plainCode = (text: string): string => text.replaceAll(/[\s-]/gu, '').toUpperCase();

const isAppCode = (code: string): boolean => /^\d{6}$/u.test(code);

/**
 * Returns the proof of a verdict, or undefined if the person needs none.
 * @throws AppError SECOND_FACTOR_REQUIRED, SECOND_FACTOR_INVALID
 */
export const requireProof = (verdict: FactorVerdict): FactorProof | undefined => {
  if (verdict === 'missing') throw new AppError('SECOND_FACTOR_REQUIRED');
  if (verdict === 'refused') throw new AppError('SECOND_FACTOR_INVALID');
  return verdict === 'none' ? undefined : verdict;
};

const throwNotActive = (): never => {
  const message = 'No authenticator app is set up for this account.';
  throw new AppError('CONFLICT', { message });
};

const readState = async (db: Db, owner: FactorOwner): Promise<FactorState> => {
  const factor = await findFactor(db, owner);
  if (factor === undefined) return { state: 'NONE', confirmedAt: null, recoveryCodesLeft: 0 };
  const { id, confirmedAt } = factor;
  const recoveryCodesLeft = await countRecoveryCodes(db, id);
  return { state: confirmedAt === null ? 'PENDING' : 'ACTIVE', confirmedAt, recoveryCodesLeft };
};

/** Replaces a factor's recovery codes, and returns the new ones. */
const issueRecoveryCodes = async (
  { random }: SecondFactorDeps,
  tx: Db,
  factorId: string,
): Promise<readonly string[]> => {
  const codes = Array.from({ length: recoveryCodeCount }, () =>
    toBase32(random.bytes(recoveryCodeBytes)),
  );
  const rows = codes.map((code) => ({ id: random.uuid(), codeHash: hashToken(code) }));
  await replaceRecoveryCodes(tx, factorId, rows);
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/gu, '$1-'));
};

/** Returns the period of a code of the app. Returns undefined for a wrong code or a recovery code. */
const periodOf = (
  { vault, wall }: SecondFactorDeps,
  { id, secretSealed }: FactorRecord,
  code: string,
): number | undefined =>
  isAppCode(code)
    ? periodOfCode(vault.service.open(secretSealed, factorContext(id)), code, wall.now())
    : undefined;

/** Checks a code and uses it up. The caller has locked the factor. */
const consumeFactorCode = async (
  deps: SecondFactorDeps,
  tx: Db,
  factor: FactorRecord,
  code: string,
): Promise<FactorVerdict> => {
  const period = periodOf(deps, factor, code);
  if (period === undefined) {
    const used = { factorId: factor.id, codeHash: hashToken(code), usedAt: deps.wall.now() };
    return (await consumeRecoveryCode(tx, used)) ? 'recovery code' : 'refused';
  }
  if (factor.lastPeriod !== null && period <= factor.lastPeriod) return 'refused';
  await updateFactor(tx, factor.id, { lastPeriod: period });
  return 'app';
};

/** Creates the second factors of the people of one API (contract: operators > Second factor). */
export const createSecondFactors = (
  deps: SecondFactorDeps,
  api: FactorOwner['api'],
): SecondFactors => {
  const { vault, random, wall } = deps;
  const ownerOf = (id: string): FactorOwner => ({ api, id });

  return {
    read: (db, ownerId) => readState(db, ownerOf(ownerId)),
    async isActive(db, ownerId) {
      const factor = await findFactor(db, ownerOf(ownerId));
      return factor !== undefined && factor.confirmedAt !== null;
    },
    listActive: (db) => listFactorOwners(db, api),
    async enrol(tx, ownerId, label) {
      const owner = ownerOf(ownerId);
      const existing = await lockFactor(tx, owner);
      if (existing !== undefined && existing.confirmedAt !== null) {
        const message = 'An authenticator app is already set up. A super admin can disable it.';
        throw new AppError('CONFLICT', { message });
      }
      await deleteFactor(tx, owner);
      const id = random.uuid();
      const secret = createTotpSecret((count) => random.bytes(count));
      const secretSealed = vault.service.seal(secret, factorContext(id));
      await insertFactor(tx, owner, { id, secretSealed, createdAt: wall.now() });
      return { secret, address: totpAddress(secret, { issuer: issuers[api], label }) };
    },
    async confirm(tx, ownerId, code) {
      const factor = await lockFactor(tx, ownerOf(ownerId));
      if (factor === undefined) return throwNotActive();
      if (factor.confirmedAt !== null) {
        throw new AppError('CONFLICT', { message: 'This authenticator app is already confirmed.' });
      }
      const lastPeriod = periodOf(deps, factor, plainCode(code));
      if (lastPeriod === undefined) throw new AppError('SECOND_FACTOR_INVALID');
      await updateFactor(tx, factor.id, { confirmedAt: wall.now(), lastPeriod });
      return issueRecoveryCodes(deps, tx, factor.id);
    },
    async consumeCode(tx, ownerId, code) {
      const factor = await lockFactor(tx, ownerOf(ownerId));
      if (factor === undefined || factor.confirmedAt === null) return 'none';
      return code === undefined ? 'missing' : consumeFactorCode(deps, tx, factor, plainCode(code));
    },
    async renewRecoveryCodes(tx, ownerId) {
      const factor = await lockFactor(tx, ownerOf(ownerId));
      if (factor === undefined || factor.confirmedAt === null) return throwNotActive();
      return issueRecoveryCodes(deps, tx, factor.id);
    },
    async remove(tx, ownerId) {
      const { state } = await readState(tx, ownerOf(ownerId));
      await deleteFactor(tx, ownerOf(ownerId));
      return state;
    },
  };
};
