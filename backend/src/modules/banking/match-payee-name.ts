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
 * Scores from 0 to 100 how certainly a bank account belongs to its customer: the lower of the
 * provider's score and of our comparison of the KYC's name with the bank's name. The provider's
 * score alone proves nothing, since the customer chose the name that it compares. Returns undefined
 * if a name or a score is unknown, or can no longer be opened.
 */
export const matchPayeeName = async (
  { vault, logger }: MatchDeps,
  tx: Db,
  { id, userId, nameMatchScore, registeredNameSealed }: Payee,
): Promise<bigint | undefined> => {
  if (nameMatchScore === null || registeredNameSealed === null) return undefined;
  try {
    const sealer = await vault.forUser(tx, userId);
    const known = await openApprovedName(tx, sealer, userId);
    if (known === undefined) return undefined;
    const registered = openRegisteredName(sealer, { id, registeredNameSealed });
    const [theirs, ours] = [BigInt(nameMatchScore), compareNames(known, registered)];
    return ours < theirs ? ours : theirs;
  } catch (error) {
    // The gold is already sold, so the payout waits for an operator and does not fail because of
    // the name.
    logger.error({ bankAccountId: id, err: describeError(error) }, 'a name could not be compared');
    return undefined;
  }
};
