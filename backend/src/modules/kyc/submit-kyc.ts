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
  areNumbersTaken,
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
  const isRightKind = (document?.kind === 'SELFIE') === (field === 'selfieKey');
  if (document === undefined || !isRightKind) {
    throw validationError([
      { field, message: 'must be the key of a document that you uploaded for this field' },
    ]);
  }
};

/**
 * Returns the full name of the submission, or the profile's name if the submission has none. The name is
 * validated, because an older profile may have a name that is not accepted any more.
 */
const fullNameFor = async (
  db: Db,
  userId: string,
  submittedName: string | undefined,
): Promise<string> => {
  if (submittedName !== undefined) return submittedName;
  const profileName = kycName.safeParse((await findUser(db, userId))?.fullName);
  if (profileName.success) return profileName.data;
  throw validationError([{ field: 'fullName', message: 'is required here or in the profile' }]);
};

const ageOfMajority = 18n;

/** Returns today's IST date in an earlier year. A person born on or before it is `years` years old. */
const dateYearsAgo = (now: Date, years: bigint): string => {
  const [year = '', ...rest] = istDate(now).split('-');
  return [String(BigInt(year) - years), ...rest].join('-');
};

/** Refuses the date of birth of a minor, and a missing date if the house requires one. */
const requireOfAge = (date: string | undefined, now: Date, isRequired: boolean): void => {
  if (date === undefined && !isRequired) return;
  if (date !== undefined && date <= dateYearsAgo(now, ageOfMajority)) return;
  const message =
    date === undefined ? 'is required' : `must be ${ageOfMajority} years ago or earlier`;
  throw validationError([{ field: 'dateOfBirth', message }]);
};

/**
 * Refuses numbers that another record has hashed with another key. This check is needed only while a key
 * of the blind index is replaced. Replicas whose first keys differ lock the same text, which is the
 * smallest of a number's hashes, so that their submissions are serialised.
 */
const requireUnusedNumbers = async (
  tx: Db,
  recordId: string,
  input: SubmitInput,
  blindIndex: BlindIndex,
): Promise<void> => {
  const hashes = hashesOfNumbers(input, blindIndex);
  if (hashes.pan.length === 1) return;
  for (const numberHashes of [hashes.aadhaar, hashes.pan]) {
    await lockText(tx, `kyc|${numberHashes.toSorted()[0] ?? ''}`);
  }
  if (await areNumbersTaken(tx, recordId, hashes)) throw new AppError('KYC_DUPLICATE');
};

/**
 * Submits a customer's KYC for review. The record was PENDING or REJECTED and becomes SUBMITTED.
 * @throws AppError VALIDATION_FAILED for a document that the customer has not uploaded, a missing name or
 *   the date of birth of a minor, and KYC_STATE, KYC_DUPLICATE
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
      const now = clock.now();
      const record = await lockOrInsertKyc(tx, random.uuid(), userId, now);
      const { id, status: from } = record;
      const step = { to: 'SUBMITTED', actor } as const;
      if (!allowsTransition(kycTransitions, { ...step, from })) throw new AppError('KYC_STATE');
      await requireUnusedNumbers(tx, id, input, blindIndex);
      const sealer = await vault.forUser(tx, userId);
      const fields = sealSubmission({ ...input, fullName }, id, { sealer, blindIndex });
      await transitionKyc({ logger }, record, {
        ...step,
        cause: 'kyc.submit',
        update: () => markSubmitted(tx, { id, from }, fields, now),
      });
      return requireKyc(tx, id);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('KYC_DUPLICATE', { cause: error });
    throw error;
  }
};
