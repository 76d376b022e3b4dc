import type { Sealer } from '../../platform/crypto/index.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';

/* The columns of `app_user` that block a customer. */

/** A customer's block, as it is stored. */
export interface BlockState {
  readonly blocked: boolean;
  readonly deletedAt: Date | null;
  readonly blockedReasonSealed: string | null;
}

/**
 * Locks a customer's row, including a blocked or deleted one, until the transaction ends, so that
 * no sign-in opens a session meanwhile. Returns undefined for an unknown id.
 */
export const lockUser = (tx: Db, id: string): Promise<BlockState | undefined> =>
  selectOne<BlockState>(
    tx,
    // The lock is FOR NO KEY UPDATE, so rows that refer to the user can still be inserted.
    sql`
      SELECT blocked, deleted_at AS "deletedAt",
        blocked_reason_sealed AS "blockedReasonSealed"
      FROM app_user WHERE id = ${id}::uuid FOR NO KEY UPDATE`,
  );

/** Blocks a customer, or ends the block if `reasonSealed` is null. The caller has locked the row. */
export const updateBlock = async (
  tx: Db,
  { userId, reasonSealed, at }: { userId: string; reasonSealed: string | null; at: Date },
): Promise<void> => {
  const blocked = reasonSealed !== null;
  await tx.user.update({
    where: { id: userId },
    data: {
      blocked,
      blockedReason: null,
      blockedReasonSealed: reasonSealed,
      ...(blocked && { blockedAt: at }),
      updatedAt: at,
    },
    select: { id: true },
  });
};

const contextOf = (userId: string) => ({
  purpose: 'identity',
  column: 'app_user.blocked_reason',
  row: userId,
});

/** Seals the reason of a block with the customer's own key. */
export const sealBlockedReason = (sealer: Sealer, reason: string, userId: string): string =>
  sealer.seal(reason, contextOf(userId));

/** Opens the reason of a block. Returns null if there is none. */
export const openBlockedReason = (
  sealer: Sealer | undefined,
  { blockedReasonSealed }: Pick<BlockState, 'blockedReasonSealed'>,
  userId: string,
): string | null =>
  sealer === undefined || blockedReasonSealed === null
    ? null
    : sealer.open(blockedReasonSealed, contextOf(userId));
