import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { describeError, type Logger } from '../../platform/observability/index.ts';
import { openApprovedName } from '../kyc/index.ts';
import { openRegisteredName } from './bank-account-sealing.ts';
import type { Payee } from './bank-accounts.store.ts';
import { compareNames } from './compare-names.ts';

interface MatchDeps {
  readonly vault: Vault;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Returns a score from 0 to 100 for how certainly a bank account belongs to its customer. It is the lower
 * of two scores: the provider's score, and our comparison of the KYC name with the bank's name. The
 * provider's score alone proves nothing, because the customer chose the name that the provider compares.
 * Returns undefined if a name or a score is unknown or can't be opened any more.
 */
export const matchPayeeName = async (
  { vault, logger }: MatchDeps,
  tx: Db,
  { id, userId, nameMatchScore, registeredNameSealed }: Payee,
): Promise<bigint | undefined> => {
  if (nameMatchScore === null || registeredNameSealed === null) return undefined;
  try {
    const sealer = await vault.forUser(tx, userId);
    const approvedName = await openApprovedName(tx, sealer, userId);
    if (approvedName === undefined) return undefined;
    const registeredName = openRegisteredName(sealer, { id, registeredNameSealed });
    const [providerScore, ownScore] = [
      BigInt(nameMatchScore),
      compareNames(approvedName, registeredName),
    ];
    return ownScore < providerScore ? ownScore : providerScore;
  } catch (error) {
    // The gold is already sold, so the sale must not fail because of the name. The payout waits for an
    // operator.
    logger.error({ bankAccountId: id, err: describeError(error) }, 'a name could not be compared');
    return undefined;
  }
};
