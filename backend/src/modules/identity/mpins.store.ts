import { selectRows, sql, type Db } from '../../platform/db/index.ts';

/* The MPIN's columns of `app_user`. */

/**
 * Locks the customer until the transaction ends. Returns false if `mpinHash` is no longer the hash
 * of their MPIN.
 */
export const lockMpinHolder = async (
  tx: Db,
  { id, mpinHash }: { readonly id: string; readonly mpinHash: string },
): Promise<boolean> => {
  const rows = await selectRows(
    tx,
    sql`
      SELECT id FROM app_user WHERE id = ${id}::uuid AND mpin_hash = ${mpinHash}
      FOR NO KEY UPDATE`,
  );
  return rows.length === 1;
};

/** Updates the MPIN of a customer whose row is locked. */
export const updateMpin = async (tx: Db, id: string, mpinHash: string, at: Date): Promise<void> => {
  const data = { mpinHash, mpinSetAt: at, updatedAt: at };
  await tx.user.update({ where: { id }, data, select: { id: true } });
};
