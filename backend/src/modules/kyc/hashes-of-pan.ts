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

const hashAnew = async (deps: HashDeps, tx: Db, row: KycRow): Promise<readonly string[]> => {
  const { id, userId, panSealed, aadhaarSealed } = row;
  if (panSealed === null || aadhaarSealed === null) return [];
  try {
    const sealer = await deps.vault.forUser(tx, userId);
    const { pan, identityNumber: aadhaar } = openNumbers(sealer, { id, panSealed, aadhaarSealed });
    return hashesOfNumbers({ pan, aadhaar }, deps.blindIndex).pan;
  } catch (error) {
    // The stored hash is that of the key in use, but for the time in which it is replaced.
    deps.logger.error({ kycId: id, err: describeError(error) }, 'a PAN could not be opened');
    return [];
  }
};

/** Returns the hashes, one for each key, that a customer's PAN may have, or none without a PAN. */
export const hashesOfPan = async (
  deps: HashDeps,
  tx: Db,
  userId: string,
): Promise<readonly string[]> => {
  const row = await findKycByUser(tx, userId);
  if (row === undefined) return [];
  const stored = row.panHash === null ? [] : [row.panHash];
  return [...new Set([...stored, ...(await hashAnew(deps, tx, row))])];
};

/** Returns the other customers whose record has one of these hashes, in any state. */
export const findCustomersOfPan = async (
  db: Db,
  hashes: readonly string[],
  except: string,
): Promise<readonly string[]> => {
  const rows = await db.kycRecord.findMany({
    where: { panHash: { in: [...hashes] }, userId: { not: except } },
    select: { userId: true },
  });
  return rows.map(({ userId }) => userId);
};
