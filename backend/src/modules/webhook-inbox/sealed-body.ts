import { z } from 'zod';
import {
  DataKeyDestroyedError,
  SealError,
  type Sealer,
  type Vault,
} from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';

/**
 * Holds the raw body as it came and how its adapter read it then, so that an event can be applied
 * later without the signature and the secret of the day.
 */
const contentSchema = z.object({ rawBase64: z.string(), event: z.unknown() });

const contextOf = (row: string) => ({
  purpose: 'webhook-body',
  column: 'webhook_event.sealed_body',
  row,
});

export interface SealedBody {
  readonly sealedBody: string;
  /** Undefined: sealed with the service's key, and to be purged. */
  readonly sealedForUserId: string | undefined;
}

/** Returns undefined where there is no user, or where the user's key is destroyed. */
const userSealer = async (
  vault: Vault,
  db: Db,
  userId: string | undefined,
): Promise<Sealer | undefined> => {
  if (userId === undefined) return undefined;
  try {
    return await vault.forUser(db, userId);
  } catch (error) {
    if (error instanceof DataKeyDestroyedError) return undefined;
    throw error;
  }
};

/**
 * Seals an event for the inbox row `id`: with its customer's key where one is known. `event` is
 * its serialized form, null where the body can't be read.
 */
export const sealBody = async (
  vault: Vault,
  db: Db,
  entry: { id: string; userId: string | undefined; rawBody: Buffer; event: object | null },
): Promise<SealedBody> => {
  const sealer = await userSealer(vault, db, entry.userId);
  const content = JSON.stringify({
    rawBase64: entry.rawBody.toString('base64'),
    event: entry.event,
  });
  return {
    sealedBody: (sealer ?? vault.service).seal(content, contextOf(entry.id)),
    sealedForUserId: sealer === undefined ? undefined : entry.userId,
  };
};

/**
 * Opens an inbox row: the raw body, and the event's serialized form (null: it was unreadable).
 * @throws SealError, DataKeyDestroyedError
 */
export const openBody = async (
  vault: Vault,
  db: Db,
  row: { id: string; sealedBody: string; sealedForUserId: string | null },
): Promise<{ readonly rawBody: Buffer; readonly event: unknown }> => {
  const { id, sealedBody, sealedForUserId } = row;
  const sealer =
    sealedForUserId === null ? vault.service : await vault.forUser(db, sealedForUserId);
  const content: unknown = JSON.parse(sealer.open(sealedBody, contextOf(id)));
  const { rawBase64, event } = contentSchema.parse(content);
  return { rawBody: Buffer.from(rawBase64, 'base64'), event };
};

/** Seals a body of the service's key with its first one; undefined where the old key is gone. */
export const resealBody = (
  { service }: Pick<Vault, 'service'>,
  { id, sealedBody }: { readonly id: string; readonly sealedBody: string },
): string | undefined => {
  try {
    return service.seal(service.open(sealedBody, contextOf(id)), contextOf(id));
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
};
