import type { ObjectStore } from '../../adapters/object-store/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import { deleteDocument, listDocumentsOfDeleted } from './kyc.store.ts';

const batchSize = 100;

/**
 * Removes the documents of deleted customers from the object store, then their rows: a document
 * that the store does not delete keeps its row and is tried again in the next pass.
 */
export const createDocumentRemoval = (options: {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'delete'>;
  readonly logger: Pick<Logger, 'warn'>;
}): Sweep => ({
  name: 'remove-documents-of-deleted',
  async run(signal) {
    const { db, objects, logger } = options;
    for (let isMore = true; isMore && !signal.aborted;) {
      const rows = await listDocumentsOfDeleted(db, batchSize);
      const removed = await sweepRows({
        rows,
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
      isMore = rows.length === batchSize && removed > 0;
    }
  },
});
