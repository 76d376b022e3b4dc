import {
  countSealedByOther,
  resealColumn,
  type SealedColumn,
  type Vault,
} from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';

/** Returns the context that binds a sealed secret to its row. */
export const factorContext = (id: string) => ({
  purpose: 'second-factor',
  column: 'second_factor.secret_sealed',
  row: id,
});

const secrets: SealedColumn = {
  table: 'second_factor',
  column: 'secret_sealed',
  contextOf: factorContext,
};

/** Seals the secrets of authenticator apps with the current key, as `resealColumn` says. */
export const resealFactors = (
  deps: { readonly vault: Pick<Vault, 'keyId' | 'service'>; readonly inTransaction: InTransaction },
  signal: AbortSignal,
): Promise<number> => resealColumn(deps, secrets, signal);

/** Counts the secrets that another service key than `keyId` sealed. */
export const countOutdatedFactors = (db: Db, keyId: string): Promise<number> =>
  countSealedByOther(db, secrets, keyId);
