import type { Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import {
  isUniqueViolation,
  lockText,
  type Db,
  type InTransaction,
} from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { allowsTransition } from '../../platform/transitions/transitions.ts';
import { findUser } from '../identity/index.ts';
import { hashesOfNumbers, sealSubmission } from './kyc-sealing.ts';
import { kycName, type SubmitInput } from './kyc.schemas.ts';
import { kycTransitions, transitionKyc } from './kyc.states.ts';
import {
  findDocument,
  hasNumbers,
  lockOrInsertKyc,
  requireKyc,
  markSubmitted,
  type KycRow,
} from './kyc.store.ts';

export interface SubmitKycDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly blindIndex: BlindIndex;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  /** True if the house requires the date of birth of every customer. */
  readonly requiresDateOfBirth: boolean;
}

const requireDocument = async (
  db: Db,
  userId: string,
  field: 'documentKey' | 'selfieKey',
  key: string | undefined,
): Promise<void> => {
  if (key === undefined) return;
  const document = await findDocument(db, userId, key);
  const isFitting = (document?.kind === 'SELFIE') === (field === 'selfieKey');
  if (document === undefined || !isFitting) {
    throw validationError([{ field, message: 'must be a document that you uploaded for this' }]);
  }
};

/**
 * Returns the full name of the submission, or of the profile if the submission has none. An older
 * profile may have a name that the rule of names refuses.
 */
const fullNameFor = async (db: Db, userId: string, given: string | undefined): Promise<string> => {
  if (given !== undefined) return given;
  const fromProfile = kycName.safeParse((await findUser(db, userId))?.fullName);
  if (fromProfile.success) return fromProfile.data;
  throw validationError([{ field: 'fullName', message: 'is required here or in the profile' }]);
};

const ageOfMajority = 18n;

/** Returns the IST date of today, so many years ago. Who was born on or before it is of age. */
const yearsAgo = (now: Date, years: bigint): string => {
  const [year = '', ...rest] = istDate(now).split('-');
  return [String(BigInt(year) - years), ...rest].join('-');
};

/** Refuses a minor, and a submission without a date of birth if the house requires it. */
const requireOfAge = (date: string | undefined, now: Date, isRequired: boolean): void => {
  if (date === undefined && !isRequired) return;
  if (date !== undefined && date <= yearsAgo(now, ageOfMajority)) return;
  const message =
    date === undefined ? 'is required' : `must be ${ageOfMajority} years ago or earlier`;
  throw validationError([{ field: 'dateOfBirth', message }]);
};

/**
 * While a key of the blind index is replaced: refuses numbers that another record has under another
 * key. Replicas whose first keys differ take turns by a text that both can compute.
 */
const requireFreeNumbers = async (
  tx: Db,
  recordId: string,
  input: SubmitInput,
  blindIndex: BlindIndex,
): Promise<void> => {
  const hashes = hashesOfNumbers(input, blindIndex);
  if (hashes.pan.length === 1) return;
  for (const all of [hashes.aadhaar, hashes.pan]) {
    await lockText(tx, `kyc|${all.toSorted()[0] ?? ''}`);
  }
  if (await hasNumbers(tx, recordId, hashes)) throw new AppError('KYC_DUPLICATE');
};

/**
 * Submits KYC for review: PENDING or REJECTED to SUBMITTED.
 * @throws AppError VALIDATION_FAILED for a document the caller has not uploaded, a missing name or
 * a date of birth of a minor, and KYC_STATE, KYC_DUPLICATE.
 */
export const submitKyc = async (
  deps: SubmitKycDeps,
  userId: string,
  input: SubmitInput,
): Promise<KycRow> => {
  const { db, inTransaction, clock, random, vault, blindIndex, logger } = deps;
  requireOfAge(input.dateOfBirth, clock.now(), deps.requiresDateOfBirth);
  await requireDocument(db, userId, 'documentKey', input.documentKey);
  await requireDocument(db, userId, 'selfieKey', input.selfieKey);
  const fullName = await fullNameFor(db, userId, input.fullName);
  const actor = `customer:${userId}`;
  try {
    return await inTransaction(async (tx) => {
      const at = clock.now();
      const record = await lockOrInsertKyc(tx, random.uuid(), userId, at);
      const { id, status: from } = record;
      const step = { to: 'SUBMITTED', actor } as const;
      if (!allowsTransition(kycTransitions, { ...step, from })) throw new AppError('KYC_STATE');
      await requireFreeNumbers(tx, id, input, blindIndex);
      const sealer = await vault.forUser(tx, userId);
      const fields = sealSubmission({ ...input, fullName }, id, { sealer, blindIndex });
      await transitionKyc({ logger }, record, {
        ...step,
        cause: 'kyc.submit',
        update: () => markSubmitted(tx, { id, from }, fields, at),
      });
      return requireKyc(tx, id);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('KYC_DUPLICATE', { cause: error });
    throw error;
  }
};
