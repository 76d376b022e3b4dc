import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import type { ObjectStore } from '../../adapters/object-store/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { validationError } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { documentContext } from './kyc-sealing.ts';
import { documentLimitBytes, type DocumentInput } from './kyc.schemas.ts';
import { createKycStore } from './kyc.store.ts';

/** More than any review asks for; keeps one account from filling the store. */
const maxDocuments = 40;

export type UploadDocument = (userId: string, input: DocumentInput) => Promise<string>;

/**
 * Seals a document with the customer's own key and puts it into the object store; answers its
 * key. The bytes go first: what a crash leaves is a sealed object that nothing names.
 * @throws AppError VALIDATION_FAILED when the content is not what it claims, PAYLOAD_TOO_LARGE,
 * LIMIT_EXCEEDED, SERVICE_UNAVAILABLE when the store does not take it.
 */
export const createUploadDocument = (options: {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly objects: ObjectStore;
}): UploadDocument => {
  const { db, clock, random, vault, objects } = options;

  return async (userId, input) => {
    const bytes = Buffer.from(input.dataBase64, 'base64');
    if (bytes.length > documentLimitBytes) {
      throw new AppError('PAYLOAD_TOO_LARGE', {
        field: 'dataBase64',
        message: 'A document has at most 3 MB.',
      });
    }
    const found = await fileTypeFromBuffer(bytes);
    if (found?.mime !== input.contentType) {
      const message = `must hold what contentType says; it looks like ${found?.mime ?? 'nothing known'}`;
      throw validationError([{ field: 'dataBase64', message }]);
    }
    const store = createKycStore(db);
    if ((await store.countDocuments(userId)) >= maxDocuments) {
      throw new AppError('LIMIT_EXCEEDED', {
        message: 'Too many documents were uploaded.',
        details: { limit: 'maxDocuments', value: maxDocuments },
      });
    }
    const id = random.uuid();
    const key = `kyc/${userId}/${id}`;
    const sealer = await vault.forUser(db, userId);
    const sealed = sealer.sealBytes(bytes, documentContext(key));
    const put = await objects.put(key, sealed, 'application/octet-stream', { ifAbsent: true });
    if (put.kind !== 'done') throw new AppError('SERVICE_UNAVAILABLE', { cause: put });
    await store.insertDocument({
      id,
      userId,
      key,
      kind: input.kind,
      contentType: input.contentType,
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      createdAt: clock.now(),
    });
    return key;
  };
};
