import { execute, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';

/* The rows of `push_token`. */

/** Limits the push tokens of one customer (contract: identity-and-kyc > Users). */
export const maxPushTokens = 20;

export const pushPlatforms = ['ios', 'android', 'web'] as const;

export interface PushToken {
  readonly id: string;
  readonly token: string;
  readonly platform: (typeof pushPlatforms)[number];
  readonly createdAt: Date;
}

/**
 * Registers a token in the caller's transaction. A token of another account moves to this one, and a
 * token that this account has is registered again. If the account then has too many tokens, those
 * registered longest ago are removed.
 */
export const registerPushToken = async (
  tx: Db,
  { id, userId, token, platform }: Omit<PushToken, 'createdAt'> & { readonly userId: string },
  at: Date,
): Promise<PushToken> => {
  // Concurrent registrations of one customer are serialised, so that the count is right.
  await selectRows(tx, sql`SELECT id FROM app_user WHERE id = ${userId}::uuid FOR NO KEY UPDATE`);
  const row = await selectOne<PushToken>(
    tx,
    sql`
      INSERT INTO push_token (id, user_id, token, platform, created_at, updated_at)
      VALUES (${id}::uuid, ${userId}::uuid, ${token}, ${platform}, ${at}::timestamptz,
        ${at}::timestamptz)
      ON CONFLICT (token) DO UPDATE SET id = EXCLUDED.id, user_id = EXCLUDED.user_id,
        platform = EXCLUDED.platform, created_at = EXCLUDED.created_at,
        updated_at = EXCLUDED.updated_at
      RETURNING id::text AS id, token, platform, created_at AS "createdAt"`,
  );
  invariant(row, 'an upsert returns its row');
  await execute(
    tx,
    sql`
      DELETE FROM push_token WHERE id IN (
        SELECT id FROM push_token WHERE user_id = ${userId}::uuid
        ORDER BY updated_at DESC, id DESC OFFSET ${maxPushTokens}::int)`,
  );
  return row;
};

/** Deletes a token of the customer. Returns false if they have no such token. */
export const deletePushToken = async (db: Db, userId: string, token: string): Promise<boolean> =>
  (await db.pushToken.deleteMany({ where: { userId, token } })).count === 1;
