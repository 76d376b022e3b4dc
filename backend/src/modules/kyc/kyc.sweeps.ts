import type { BlindIndex, Sealer, Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/sweep.ts';
import { type Logger, describeError } from '../../platform/observability/index.ts';
import type { WebhookInbox } from '../webhook-inbox/index.ts';
import type { ObjectStore } from '../../adapters/object-store/port.ts';
import { rehashNumbers, sealPincode, sealReason } from './kyc-sealing.ts';
import {
  listOutdatedHashes,
  listUnsealed,
  updateHashes,
  updateUnsealed,
  type KycRow,
  deleteDocument,
  listDocumentsOfDeleted,
} from './kyc.store.ts';

const batchSize = 200;

/** The last row of the previous batch. */
type LastRow = Pick<KycRow, 'id'>;

/**
 * The stored value of a sealed field if the customer's key is destroyed. It is an empty text, not null,
 * because a rejected record must have a reason.
 */
const erasedText = '';

const sealRow = ({ id, pincode, reviewReason }: KycRow, sealer: Sealer | undefined) => ({
  ...(pincode !== null && {
    pincodeSealed: sealer === undefined ? erasedText : sealPincode(sealer, pincode, id),
  }),
  ...(reviewReason !== null && {
    reviewReasonSealed: sealer === undefined ? erasedText : sealReason(sealer, reviewReason, id),
  }),
});

interface KycSweepOptions {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers'>;
  readonly blindIndex: BlindIndex;
  readonly logger: Pick<Logger, 'error'>;
}

/** Returns the customer's sealer, or undefined if the customer's key is destroyed. */
const sealerOf = async (
  { db, vault }: KycSweepOptions,
  { userId }: KycRow,
): Promise<Sealer | undefined> => (await vault.forUsers(db, [userId])).get(userId);

/**
 * Creates the sweep that seals the pincodes and reasons that an earlier version stored in plain text. If
 * the customer's key is destroyed, both fields are erased. The sweep finds no rows once every record is
 * sealed.
 */
const createSealingSweep = (options: KycSweepOptions): Sweep => ({
  name: 'kyc-seal-fields',
  async run(signal) {
    const { db, logger } = options;
    await sweepRows({
      rows: (after?: LastRow) => listUnsealed(db, { after: after?.id, limit: batchSize }),
      signal,
      onError: (error, { id }) =>
        logger.error({ err: error, kycId: id }, 'a KYC record could not be sealed'),
      async handle(row) {
        await updateUnsealed(db, row, sealRow(row, await sealerOf(options, row)));
        return true;
      },
    });
  },
});

/**
 * Creates the sweep that hashes the PAN and the Aadhaar of every record again after the first key of the
 * blind index has changed. The numbers of a customer whose key is destroyed can't be opened, so their
 * hashes stay.
 */
const createRehashingSweep = (options: KycSweepOptions): Sweep => ({
  name: 'kyc-rehash-numbers',
  async run(signal) {
    const { db, blindIndex, logger } = options;
    const hashKey = blindIndex.keyId;
    await sweepRows({
      rows: (after?: LastRow) =>
        listOutdatedHashes(db, hashKey, { after: after?.id, limit: batchSize }),
      signal,
      onError: (error, { id }) =>
        logger.error({ err: error, kycId: id }, 'numbers of a KYC record could not be rehashed'),
      async handle(row) {
        const { id, panSealed, aadhaarSealed } = row;
        const sealer = await sealerOf(options, row);
        const newHashes =
          sealer !== undefined && panSealed !== null && aadhaarSealed !== null
            ? rehashNumbers({ id, panSealed, aadhaarSealed }, { sealer, blindIndex })
            : {};
        await updateHashes(db, row, { ...newHashes, hashKey });
        return true;
      },
    });
  },
});

/** Creates the sweeps over KYC records. Most passes find nothing to do. */
export const createKycSweeps = (options: KycSweepOptions): readonly Sweep[] => [
  createSealingSweep(options),
  createRehashingSweep(options),
];

const removalBatchSize = 100;

/**
 * Creates the sweep that deletes the documents of deleted customers from the object store, and then
 * deletes their rows. If the store does not delete a document, the row stays and the next pass retries.
 */
export const createDocumentRemoval = (options: {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'delete'>;
  readonly logger: Pick<Logger, 'warn'>;
}): Sweep => ({
  name: 'kyc-remove-documents',
  async run(signal) {
    const { db, objects, logger } = options;
    await sweepRows({
      rows: (after?: LastRow) =>
        listDocumentsOfDeleted(db, { after: after?.id, limit: removalBatchSize }),
      signal,
      onError: (error, { id }) =>
        logger.warn({ documentId: id, err: describeError(error) }, 'a document was not removed'),
      async handle({ id, key }) {
        const outcome = await objects.delete(key);
        if (outcome.kind === 'done') await deleteDocument(db, id);
        else logger.warn({ documentId: id, outcome: outcome.kind }, 'a document was not removed');
        return outcome.kind === 'done';
      },
    });
  },
});

/** Creates the sweeps that retry the provider's pending events and purge the events' bodies. */
export const createKycEventSweeps = (
  inbox: Pick<WebhookInbox<object>, 'retryPendingEvents' | 'purgeEventBodies'>,
): readonly Sweep[] => [
  { name: 'kyc-apply-due-events', run: (signal) => inbox.retryPendingEvents(signal) },
  { name: 'kyc-purge-bodies', run: () => inbox.purgeEventBodies() },
];
