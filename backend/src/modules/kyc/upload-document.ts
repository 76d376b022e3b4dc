import { createHash } from 'node:crypto';
import type { ObjectStore } from '../../adapters/object-store/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError, isAppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { lockHolding } from '../holdings/index.ts';
import { typeOfDocument } from './document-type.ts';
import { documentContext } from './kyc-sealing.ts';
import type { DocumentInput } from './kyc.schemas.ts';
import { countDocuments, insertDocument } from './kyc.store.ts';

/** The maximum number of documents of a customer. It prevents one account from filling the store. */
const maxDocuments = 40;

export interface UploadDocumentDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly objects: ObjectStore;
}

const requireDocumentLimit = async (db: Db, userId: string): Promise<void> => {
  if ((await countDocuments(db, userId)) < maxDocuments) return;
  throw new AppError('LIMIT_EXCEEDED', {
    message: `You can upload at most ${maxDocuments} documents.`,
    details: { limit: 'maxDocuments', value: maxDocuments },
  });
};

/** The maximum decoded size of a document in bytes. */
const documentLimitBytes = 3 * 1024 * 1024;

/**
 * Seals a document with the customer's own key, stores it in the object store, and returns the document's
 * key. The object is stored before the row, so a crash can leave a sealed object without a row, but never
 * a row without an object.
 * @throws AppError VALIDATION_FAILED if the type of the content is not accepted, PAYLOAD_TOO_LARGE,
 *   LIMIT_EXCEEDED, and SERVICE_UNAVAILABLE if the object store does not accept the document
 */
export const uploadDocument = async (
  { db, inTransaction, clock, random, vault, objects }: UploadDocumentDeps,
  userId: string,
  input: DocumentInput,
): Promise<string> => {
  const bytes = input.dataBase64;
  if (bytes.length > documentLimitBytes) {
    const message = 'Documents can be at most 3 MB.';
    throw new AppError('PAYLOAD_TOO_LARGE', { field: 'dataBase64', message });
  }
  const { type, detectedType } = await typeOfDocument(bytes);
  if (type === undefined) {
    const message = `must be a JPEG, PNG, WebP or PDF document; it looks like ${detectedType}`;
    throw validationError([{ field: 'dataBase64', message }]);
  }
  await requireDocumentLimit(db, userId);
  const id = random.uuid();
  const key = `kyc/${userId}/${id}`;
  const sealer = await vault.forUser(db, userId);
  const sealed = sealer.sealBytes(bytes, documentContext(key));
  const outcome = await objects.put(key, sealed, 'application/octet-stream', { ifAbsent: true });
  if (outcome.kind !== 'done') throw new AppError('SERVICE_UNAVAILABLE', { cause: outcome });
  try {
    await inTransaction(async (tx) => {
      // Under this lock, the count includes the documents of concurrent uploads.
      await lockHolding(tx, userId);
      await requireDocumentLimit(tx, userId);
      await insertDocument(tx, {
        id,
        userId,
        key,
        kind: input.kind,
        contentType: type,
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        createdAt: clock.now(),
      });
    });
  } catch (error) {
    if (isAppError(error)) await objects.delete(key);
    throw error;
  }
  return key;
};
