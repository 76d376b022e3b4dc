import { z } from 'zod';
import { SealError, type Sealer, type Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { AuditEntry } from './audit.types.ts';

export type AuditVault = Pick<Vault, 'forUsers' | 'service'>;

const contextOf = (row: string) => ({ purpose: 'audit', column: 'audit_log.sealed', row });

const part = z.record(z.string(), z.json()).optional();
const partsSchema = z.object({ before: part, after: part });

export type SealedParts = z.output<typeof partsSchema>;

/** The stored form of an entry's sealed parts. */
export interface SealedColumns {
  readonly sealed: string | null;
  /** The customer whose key sealed them, or null if the service key did. */
  readonly sealedForUserId: string | null;
}

export const nothingSealed: SealedColumns = { sealed: null, sealedForUserId: null };

/**
 * Seals the personal parts of an entry with the customer's own key. If there is no customer, or
 * their key is destroyed, it uses the service key (contract: identity-and-kyc > Personal data).
 */
export const sealParts = async (
  vault: AuditVault,
  db: Db,
  id: string,
  { sealed, sealedFor }: Pick<AuditEntry, 'sealed' | 'sealedFor'>,
): Promise<SealedColumns> => {
  if (sealed === undefined) return nothingSealed;
  const text = JSON.stringify(sealed);
  const sealer =
    sealedFor === undefined ? undefined : (await vault.forUsers(db, [sealedFor])).get(sealedFor);
  return sealer === undefined
    ? { sealed: vault.service.seal(text, contextOf(id)), sealedForUserId: null }
    : { sealed: sealer.seal(text, contextOf(id)), sealedForUserId: sealedFor ?? null };
};

/** Opens one text. Returns undefined if its key is gone, since one row must not hide the log. */
const tryOpen = (sealer: Sealer, sealed: string, id: string): string | undefined => {
  try {
    return sealer.open(sealed, contextOf(id));
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
};

/**
 * Opens the sealed parts of these rows, and returns them by row id. The result lacks rows whose key
 * is destroyed or no longer in the keyring.
 */
export const openParts = async (
  vault: AuditVault,
  db: Db,
  rows: readonly ({ readonly id: string } & SealedColumns)[],
): Promise<ReadonlyMap<string, SealedParts>> => {
  const userIds = rows.flatMap(({ sealedForUserId: id }) => (id === null ? [] : [id]));
  const sealers = await vault.forUsers(db, [...new Set(userIds)]);
  const opened = new Map<string, SealedParts>();
  for (const { id, sealed, sealedForUserId } of rows) {
    const sealer = sealedForUserId === null ? vault.service : sealers.get(sealedForUserId);
    if (sealed === null || sealer === undefined) continue;
    const text = tryOpen(sealer, sealed, id);
    if (text !== undefined) opened.set(id, partsSchema.parse(JSON.parse(text)));
  }
  return opened;
};
