import type { ObjectStore } from '../../adapters/object-store/port.ts';
import { SealError, type Sealer } from '../../platform/crypto/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { adminActor } from '../admins/index.ts';
import { documentContext } from './kyc-sealing.ts';
import { findKyc, findSubmittedDocument } from './kyc.store.ts';
import type { DocumentKind } from './kyc.types.ts';
import type { Reviewer, ReviewKycDeps } from './review-kyc.ts';

export interface ReadDocumentDeps extends ReviewKycDeps {
  readonly objects: Pick<ObjectStore, 'get'>;
}

export interface OpenedDocument {
  readonly bytes: Buffer;
  readonly contentType: string;
}

const openDocument = (sealer: Sealer, sealed: Uint8Array, key: string): Buffer => {
  try {
    return sealer.openBytes(sealed, documentContext(key));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new AppError('DOCUMENT_UNREADABLE', { cause: error });
  }
};

/**
 * Returns a document of a record's newest submission, decrypted. The audit row of the access is
 * committed before the document is returned. If the document can't be read, there is no audit row.
 * @throws AppError NOT_FOUND, SERVICE_UNAVAILABLE if the object store does not respond, and
 *   DOCUMENT_UNREADABLE if the object is missing or was changed
 */
export const readDocument = async (
  { db, inTransaction, vault, audit, objects }: ReadDocumentDeps,
  recordId: string,
  kind: DocumentKind,
  { principal, context }: Reviewer,
): Promise<OpenedDocument> => {
  const record = await findKyc(db, recordId);
  if (record === undefined) throw new AppError('NOT_FOUND');
  const document = await findSubmittedDocument(db, record, kind);
  const sealer = (await vault.forUsers(db, [record.userId])).get(record.userId);
  // A missing key means that the account was deleted. The document is then about to be removed.
  if (document === undefined || sealer === undefined) throw new AppError('NOT_FOUND');
  const outcome = await objects.get(document.key);
  if (outcome.kind !== 'done') throw new AppError('SERVICE_UNAVAILABLE', { cause: outcome });
  if (outcome.value === undefined) throw new AppError('DOCUMENT_UNREADABLE');
  const bytes = openDocument(sealer, outcome.value.bytes, document.key);
  await inTransaction((tx) =>
    audit.record(tx, {
      ...adminActor(principal, context),
      action: 'kyc.view-document',
      target: { type: 'kyc', id: recordId },
      after: { kind, documentId: document.id },
    }),
  );
  return { bytes, contentType: document.contentType };
};
