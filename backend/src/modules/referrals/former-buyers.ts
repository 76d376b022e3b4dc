import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import { type Db } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { findCustomersOfPan, hashesOfPan } from '../kyc/index.ts';
import { hasAllocatedOrder } from '../orders/index.ts';

export interface FormerBuyerDeps {
  readonly vault: Vault;
  readonly blindIndex: BlindIndex;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Stores hashes of the PAN of a customer who has bought gold, so that a new account of the same person
 * earns no reward. It runs in the transaction that deletes the account, before KYC is erased. For a
 * customer who has bought nothing, it stores no hash.
 */
export const keepFormerBuyer = async (
  deps: FormerBuyerDeps,
  tx: Db,
  { userId, until }: { readonly userId: string; readonly until: Date },
): Promise<void> => {
  if (!(await hasAllocatedOrder(tx, userId))) return;
  for (const panHash of await hashesOfPan(deps, tx, userId)) {
    const [create, update] = [{ panHash, until }, { until }];
    await tx.formerBuyer.upsert({ where: { panHash }, create, update });
  }
};

/**
 * Returns true if a person with the same PAN has bought gold before with another account, which may have
 * been deleted.
 */
export const hasBoughtElsewhere = async (
  deps: FormerBuyerDeps,
  tx: Db,
  userId: string,
): Promise<boolean> => {
  const hashes = await hashesOfPan(deps, tx, userId);
  if (hashes.length === 0) return false;
  if ((await tx.formerBuyer.count({ where: { panHash: { in: [...hashes] } } })) > 0) return true;
  for (const otherId of await findCustomersOfPan(tx, hashes, userId)) {
    if (await hasAllocatedOrder(tx, otherId)) return true;
  }
  return false;
};
