import { selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import type { Refusal } from './audit.types.ts';

/** Bounds a row, whatever a stranger tries. */
const maxDetails = 20;

/* The rows of `refusal_count`. */

export interface RefusalCount extends Omit<Refusal, 'after'> {
  readonly minute: Date;
  readonly refusals: number;
  readonly details: JsonObject[];
}

/** Counts a refusal and returns how many there are of its action and address in that minute. */
export const countRefusal = async (
  tx: Db,
  { action, api, ip, requestId, after }: Refusal,
  minute: Date,
): Promise<number> => {
  const detail = sql`jsonb_build_array(${JSON.stringify(after)}::jsonb)`;
  const counted = await selectOne<{ refusals: number }>(
    tx,
    sql`
      INSERT INTO refusal_count AS c (action, address, minute, actor_api, details, request_id, ip)
      VALUES (${action}, ${ip}, ${minute}::timestamptz, ${api}, ${detail}, ${requestId}, ${ip})
      ON CONFLICT (action, address, minute) DO UPDATE SET
        refusals = c.refusals + 1,
        details = CASE WHEN c.details @> ${detail} OR jsonb_array_length(c.details) >= ${maxDetails}
          THEN c.details ELSE c.details || ${detail} END
      RETURNING c.refusals`,
  );
  return counted?.refusals ?? 0;
};

/** Deletes and returns one batch of the counts of other minutes than `minute`. */
export const takeEndedCounts = (tx: Db, minute: Date, limit: number): Promise<RefusalCount[]> =>
  selectRows<RefusalCount>(
    tx,
    sql`
      DELETE FROM refusal_count WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM refusal_count WHERE minute <> ${minute}::timestamptz
        ORDER BY minute LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))
      RETURNING action, actor_api AS api, ip, request_id AS "requestId", minute, refusals, details`,
  );
