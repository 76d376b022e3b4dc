import type { Vault } from '../../platform/crypto/index.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { firstId } from '../../platform/ids/first-id.ts';
import { resealBody, claimOutdatedBodies, replaceBody } from './webhook-inbox.store.ts';

/**
 * After a new first key in PII_KEYRING: seals bodies of unknown customers again, a batch in each
 * transaction, while events arrive and are applied. One whose key has left the ring stays as it is.
 * @returns how many were sealed again
 */
export const resealBodies = async (
  {
    vault,
    inTransaction,
    batchSize = 200,
  }: {
    readonly vault: Pick<Vault, 'keyId' | 'service'>;
    readonly inTransaction: InTransaction;
    readonly batchSize?: number;
  },
  signal: AbortSignal,
): Promise<number> => {
  const { keyId } = vault;
  let count = 0;
  let after = firstId;
  while (!signal.aborted) {
    const batch = await inTransaction(async (tx) => {
      const rows = await claimOutdatedBodies(tx, { keyId, after, limit: batchSize });
      let resealed = 0;
      for (const row of rows) {
        const sealedBody = resealBody(vault, row);
        if (sealedBody === undefined) continue;
        await replaceBody(tx, row.id, sealedBody);
        resealed += 1;
      }
      return { resealed, seen: rows.length, last: rows.at(-1)?.id };
    });
    count += batch.resealed;
    if (batch.seen < batchSize) break;
    after = batch.last ?? after;
  }
  return count;
};
