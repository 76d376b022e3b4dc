import type { BlindIndex, Sealer } from '../../platform/crypto/index.ts';
import type { SubmitInput } from './kyc.schemas.ts';
import type { KycRow, SubmittedFields } from './kyc.store.ts';

const purpose = 'kyc';
const last4 = (text: string): string => text.slice(-4);

const contextOf = (column: string, row: string) => ({
  purpose,
  column: `kyc_record.${column}`,
  row,
});

/** Returns the sealing context of a document, which binds the sealed bytes to the document's key. */
export const documentContext = (key: string) => ({
  purpose,
  column: 'kyc_document.bytes',
  row: key,
});

/** Seals a pincode. */
export const sealPincode = (sealer: Sealer, pincode: string, recordId: string): string =>
  sealer.seal(pincode, contextOf('pincode', recordId));

/** Converts a submission to its stored columns, which are sealed values, last four digits and hashes. */
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
  hashKey: blindIndex.keyId,
  fullNameSealed: sealer.seal(input.fullName, contextOf('full_name', recordId)),
  dateOfBirthSealed:
    input.dateOfBirth === undefined
      ? null
      : sealer.seal(input.dateOfBirth, contextOf('date_of_birth', recordId)),
  pincodeSealed: sealPincode(sealer, input.pincode, recordId),
  documentKey: input.documentKey,
  selfieKey: input.selfieKey ?? null,
});

/** Hashes the numbers with every key of the blind index, so that hashes by older keys are found. */
export const hashesOfNumbers = (
  numbers: { readonly pan: string; readonly aadhaar: string },
  blindIndex: BlindIndex,
) => ({
  pan: blindIndex.all('kyc.pan', numbers.pan),
  aadhaar: blindIndex.all('kyc.aadhaar', numbers.aadhaar),
});

/** Opens the PAN. */
export const openPan = (sealer: Sealer, sealed: string, recordId: string): string =>
  sealer.open(sealed, contextOf('pan', recordId));

/** Opens the PAN and the Aadhaar. The gold provider requires them above certain weights of gold. */
export const openNumbers = (
  sealer: Sealer,
  record: { readonly id: string; readonly panSealed: string; readonly aadhaarSealed: string },
): { pan: string; identityNumber: string } => ({
  pan: openPan(sealer, record.panSealed, record.id),
  identityNumber: sealer.open(record.aadhaarSealed, contextOf('aadhaar', record.id)),
});

/** Hashes the numbers of a stored record with the first key of the blind index. */
export const rehashNumbers = (
  record: { readonly id: string; readonly panSealed: string; readonly aadhaarSealed: string },
  { sealer, blindIndex }: { readonly sealer: Sealer; readonly blindIndex: BlindIndex },
): Pick<SubmittedFields, 'panHash' | 'aadhaarHash'> => {
  const { pan, identityNumber } = openNumbers(sealer, record);
  return {
    panHash: blindIndex('kyc.pan', pan),
    aadhaarHash: blindIndex('kyc.aadhaar', identityNumber),
  };
};

/** Opens the full name of a record, for the reviewer and the provider. */
export const openFullName = (sealer: Sealer, sealed: string, recordId: string): string =>
  sealer.open(sealed, contextOf('full_name', recordId));

/** Opens the date of birth, for the reviewer. */
export const openDateOfBirth = (sealer: Sealer, sealed: string, recordId: string): string =>
  sealer.open(sealed, contextOf('date_of_birth', recordId));

/** Seals the reason that a reviewer gave. */
export const sealReason = (sealer: Sealer, reason: string, recordId: string): string =>
  sealer.seal(reason, contextOf('review_reason', recordId));

type LegacyFields = Pick<
  KycRow,
  'id' | 'pincode' | 'pincodeSealed' | 'reviewReason' | 'reviewReasonSealed'
>;

/**
 * Opens the pincode. If an earlier version has stored a pincode in plain text, it is newer than the
 * sealed one and is returned.
 */
export const openPincode = (sealer: Sealer, row: LegacyFields): string | null =>
  row.pincode ??
  (row.pincodeSealed === null
    ? null
    : sealer.open(row.pincodeSealed, contextOf('pincode', row.id)));

/** Opens the reviewer's reason. A reason in plain text is newer than the sealed one and is returned. */
export const openReason = (sealer: Sealer, row: LegacyFields): string | null =>
  row.reviewReason ??
  // An empty reason was erased. A rejected record must have a reason.
  (row.reviewReasonSealed === null || row.reviewReasonSealed === ''
    ? null
    : sealer.open(row.reviewReasonSealed, contextOf('review_reason', row.id)));
