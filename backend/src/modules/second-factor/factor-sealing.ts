import { SealError, type Vault } from '../../platform/crypto/index.ts';
import {
  selectOne,
  selectRows,
  sql,
  type Db,
  type InTransaction,
} from '../../platform/db/index.ts';
import { firstId } from '../../platform/ids/first-id.ts';

/** Binds a sealed secret to its row. */
export const factorContext = (id: string) => ({
  purpose: 'second-factor',
  column: 'second_factor.secret_sealed',
  row: id,
});

const batchSize = 200;

/** Matches secrets that another service key than the one of id `keyId` sealed. */
const sealedByOther = (keyId: string) => sql`NOT starts_with(secret_sealed, ${`v1.${keyId}.`})`;

/**
 * Seals the secrets of authenticator apps anew after a new first key in PII_KEYRING. One whose key
 * has left the ring stays as it is. Returns how many were sealed anew.
 */
export const resealFactors = async (
  {
    vault: { keyId, service },
    inTransaction,
  }: {
    readonly vault: Pick<Vault, 'keyId' | 'service'>;
    readonly inTransaction: InTransaction;
  },
  signal: AbortSignal,
): Promise<number> => {
  const reseal = async (tx: Db, id: string, sealed: string): Promise<number> => {
    try {
      const fresh = service.seal(service.open(sealed, factorContext(id)), factorContext(id));
      const where = { id, secretSealed: sealed };
      return (await tx.secondFactor.updateMany({ where, data: { secretSealed: fresh } })).count;
    } catch (error) {
      if (error instanceof SealError) return 0;
      throw error;
    }
  };

  let count = 0;
  let after = firstId;
  while (!signal.aborted) {
    const rows = await inTransaction(async (tx) => {
      const batch = await selectRows<{ id: string; sealed: string }>(
        tx,
        sql`
          SELECT id::text AS id, secret_sealed AS sealed FROM second_factor
          WHERE id > ${after}::uuid AND ${sealedByOther(keyId)}
          ORDER BY id LIMIT ${batchSize}::int`,
      );
      for (const { id, sealed } of batch) count += await reseal(tx, id, sealed);
      return batch;
    });
    if (rows.length < batchSize) break;
    after = rows.at(-1)?.id ?? after;
  }
  return count;
};

/** Counts secrets that another service key than the one of id `keyId` sealed. */
export const countOutdatedFactors = async (db: Db, keyId: string): Promise<number> => {
  const row = await selectOne<{ count: number }>(
    db,
    sql`SELECT count(*)::int AS count FROM second_factor WHERE ${sealedByOther(keyId)}`,
  );
  return row?.count ?? 0;
};
