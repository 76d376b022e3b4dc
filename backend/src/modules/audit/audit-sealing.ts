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
  /** Null where the service key sealed them. */
  readonly sealedForUserId: string | null;
}

export const nothingSealed: SealedColumns = { sealed: null, sealedForUserId: null };

/**
 * Seals what is personal in an entry: with the customer's own key, or with the service key where
 * there is no customer, or one whose key is destroyed (contract: identity-and-kyc > Personal data).
 */
export const sealParts = async (
  vault: AuditVault,
  db: Db,
  id: string,
  { sealed, sealedFor }: Pick<AuditEntry, 'sealed' | 'sealedFor'>,
): Promise<SealedColumns> => {
  if (sealed === undefined) return nothingSealed;
  const text = JSON.stringify(sealed);
  const own =
    sealedFor === undefined ? undefined : (await vault.forUsers(db, [sealedFor])).get(sealedFor);
  return own === undefined
    ? { sealed: vault.service.seal(text, contextOf(id)), sealedForUserId: null }
    : { sealed: own.seal(text, contextOf(id)), sealedForUserId: sealedFor ?? null };
};

/** Opens one text. Returns undefined where its key is gone: one row must not hide the log. */
const openOrMiss = (sealer: Sealer, sealed: string, id: string): string | undefined => {
  try {
    return sealer.open(sealed, contextOf(id));
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
};

/**
 * Opens the sealed parts of these rows, by row id. A row of a customer whose key is destroyed has
 * none any more, nor has one whose key has left the keyring.
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
    const text = openOrMiss(sealer, sealed, id);
    if (text !== undefined) opened.set(id, partsSchema.parse(JSON.parse(text)));
  }
  return opened;
};
