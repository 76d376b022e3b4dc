import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import { hashesOfNumbers, openNumbers } from './kyc-sealing.ts';
import { findKycByUser, type KycRow } from './kyc.store.ts';

interface HashDeps {
  readonly vault: Vault;
  readonly blindIndex: BlindIndex;
  readonly logger: Pick<Logger, 'error'>;
}

const recomputePanHashes = async (
  deps: HashDeps,
  tx: Db,
  row: KycRow,
): Promise<readonly string[]> => {
  const { id, userId, panSealed, aadhaarSealed } = row;
  if (panSealed === null || aadhaarSealed === null) return [];
  try {
    const sealer = await deps.vault.forUser(tx, userId);
    const { pan, identityNumber: aadhaar } = openNumbers(sealer, { id, panSealed, aadhaarSealed });
    return hashesOfNumbers({ pan, aadhaar }, deps.blindIndex).pan;
  } catch (error) {
    // The caller still returns the stored hash.
    deps.logger.error({ kycId: id, err: describeError(error) }, 'a PAN could not be opened');
    return [];
  }
};

/**
 * Returns the hashes that other records of the same PAN may have, one for each key of the blind index.
 * Returns none if the customer has no PAN.
 */
export const hashesOfPan = async (
  deps: HashDeps,
  tx: Db,
  userId: string,
): Promise<readonly string[]> => {
  const row = await findKycByUser(tx, userId);
  if (row === undefined) return [];
  const stored = row.panHash === null ? [] : [row.panHash];
  return [...new Set([...stored, ...(await recomputePanHashes(deps, tx, row))])];
};

/** Returns the ids of other customers whose record has one of these hashes, in any state. */
export const findCustomersOfPan = async (
  db: Db,
  hashes: readonly string[],
  exceptUserId: string,
): Promise<readonly string[]> => {
  const rows = await db.kycRecord.findMany({
    where: { panHash: { in: [...hashes] }, userId: { not: exceptUserId } },
    select: { userId: true },
  });
  return rows.map(({ userId }) => userId);
};
