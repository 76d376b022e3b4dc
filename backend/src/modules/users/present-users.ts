import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { openBlockedReason } from '../identity/index.ts';
import type { UserRow } from './users.read-model.ts';
import { presentUserRow } from './users.schemas.ts';

export interface PresentUsersDeps {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers'>;
}

/** Presents customers to operators; the keys of those who have a sealed reason are asked for. */
export const presentUsers = async (
  { db, vault }: PresentUsersDeps,
  rows: readonly UserRow[],
): Promise<ReturnType<typeof presentUserRow>[]> => {
  const sealed = rows.filter(({ blockedReasonSealed }) => blockedReasonSealed !== null);
  const sealers =
    sealed.length === 0
      ? undefined
      : await vault.forUsers(
          db,
          sealed.map(({ id }) => id),
        );
  return rows.map((row) =>
    presentUserRow(row, openBlockedReason(sealers?.get(row.id), row, row.id)),
  );
};
