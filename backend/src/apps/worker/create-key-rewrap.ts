import type { Vault } from '../../platform/crypto/index.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';

/**
 * After a new first key in PII_KEYRING: wraps the customers' data keys anew with it, a batch at a
 * time. What they sealed stays as it is. Nothing to do in every other round.
 */
export const createKeyRewrap =
  (options: {
    readonly vault: Pick<Vault, 'rewrap'>;
    readonly inTransaction: InTransaction;
    readonly logger: Pick<Logger, 'info'>;
    readonly batchSize?: number;
  }) =>
  async (signal: AbortSignal): Promise<void> => {
    const { vault, inTransaction, logger, batchSize = 500 } = options;
    while (!signal.aborted) {
      const count = await inTransaction((db) => vault.rewrap(db, batchSize));
      if (count > 0) logger.info({ count }, 'data keys wrapped with the current key');
      if (count < batchSize) return;
    }
  };
