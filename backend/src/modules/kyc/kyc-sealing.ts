import type { BlindIndex, Sealer } from '../../platform/crypto/index.ts';
import type { SubmitInput } from './kyc.schemas.ts';
import type { SubmittedFields } from './kyc.store.ts';

const purpose = 'kyc';
const last4 = (text: string): string => text.slice(-4);

const contextOf = (column: string, row: string) => ({
  purpose,
  column: `kyc_record.${column}`,
  row,
});

/** Binds a document in the object store to its key. */
export const documentContext = (key: string) => ({
  purpose,
  column: 'kyc_document.bytes',
  row: key,
});

/** Seals the submitted numbers for storage, with their last four digits and a keyed hash. */
export const sealSubmission = (
  input: SubmitInput & { readonly fullName: string },
  recordId: string,
  { sealer, blindIndex }: { readonly sealer: Sealer; readonly blindIndex: BlindIndex },
): SubmittedFields => ({
  panSealed: sealer.seal(input.pan, contextOf('pan', recordId)),
  panLast4: last4(input.pan),
  panHash: blindIndex('kyc.pan', input.pan),
  aadhaarSealed: sealer.seal(input.aadhaar, contextOf('aadhaar', recordId)),
  aadhaarLast4: last4(input.aadhaar),
  aadhaarHash: blindIndex('kyc.aadhaar', input.aadhaar),
  fullNameSealed: sealer.seal(input.fullName, contextOf('full_name', recordId)),
  dateOfBirthSealed:
    input.dateOfBirth === undefined
      ? null
      : sealer.seal(input.dateOfBirth, contextOf('date_of_birth', recordId)),
  pincode: input.pincode,
  documentKey: input.documentKey,
  selfieKey: input.selfieKey ?? null,
});

/** Opens the numbers that the provider requires before a customer holds much gold. */
export const openNumbers = (
  sealer: Sealer,
  record: { readonly id: string; readonly panSealed: string; readonly aadhaarSealed: string },
): { pan: string; identityNumber: string } => ({
  pan: sealer.open(record.panSealed, contextOf('pan', record.id)),
  identityNumber: sealer.open(record.aadhaarSealed, contextOf('aadhaar', record.id)),
});

/** Opens the full name of a record, for the reviewer and the provider. */
export const openFullName = (sealer: Sealer, sealed: string, recordId: string): string =>
  sealer.open(sealed, contextOf('full_name', recordId));
