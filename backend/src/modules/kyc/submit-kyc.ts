import type { Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { sealSubmission } from './kyc-sealing.ts';
import type { SubmitInput } from './kyc.schemas.ts';
import { createKycStore, type KycRow } from './kyc.store.ts';
import type { KycCustomers } from './kyc.types.ts';

export interface SubmitKycOptions {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly blindIndex: BlindIndex;
  readonly customers: KycCustomers;
}

export type SubmitKyc = (userId: string, input: SubmitInput) => Promise<KycRow>;

/**
 * PENDING or REJECTED to SUBMITTED.
 * @throws AppError VALIDATION_FAILED for a document the caller has not uploaded, a missing name or a
 * date of birth to come, KYC_STATE, KYC_DUPLICATE.
 */
export const createSubmitKyc = (options: SubmitKycOptions): SubmitKyc => {
  const { db, inTransaction, clock, random, vault, blindIndex, customers } = options;

  const requireDocument = async (
    userId: string,
    field: 'documentKey' | 'selfieKey',
    key: string | undefined,
  ): Promise<void> => {
    if (key === undefined) return;
    const document = await createKycStore(db).findDocument(userId, key);
    const isFitting = (document?.kind === 'SELFIE') === (field === 'selfieKey');
    if (document === undefined || !isFitting) {
      throw validationError([{ field, message: 'must be a document that you uploaded for this' }]);
    }
  };

  const fullNameFor = async (userId: string, given: string | undefined): Promise<string> => {
    const name = given ?? (await customers.find(db, userId))?.fullName;
    if (name !== undefined && name !== '') return name;
    throw validationError([{ field: 'fullName', message: 'is needed here or in the profile' }]);
  };

  const requireBorn = (date: string | undefined): void => {
    if (date === undefined || date < istDate(clock.now())) return;
    throw validationError([{ field: 'dateOfBirth', message: 'must be a day in the past' }]);
  };

  return async (userId, input) => {
    requireBorn(input.dateOfBirth);
    await requireDocument(userId, 'documentKey', input.documentKey);
    await requireDocument(userId, 'selfieKey', input.selfieKey);
    const fullName = await fullNameFor(userId, input.fullName);
    try {
      return await inTransaction(async (tx) => {
        const store = createKycStore(tx);
        const at = clock.now();
        const id = await store.lockOrMake(random.uuid(), userId, at);
        const sealer = await vault.forUser(tx, userId);
        const fields = sealSubmission({ ...input, fullName }, id, { sealer, blindIndex });
        if (!(await store.submit(id, fields, at))) throw new AppError('KYC_STATE');
        const row = await store.findById(id);
        if (row === undefined) throw new Error('a locked KYC record vanished');
        return row;
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new AppError('KYC_DUPLICATE', { cause: error });
      throw error;
    }
  };
};
