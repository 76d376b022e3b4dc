import { noSql, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Refusal, AuditEntry } from './audit.types.ts';

/** Bounds a row, whatever a stranger tries. */
const maxDetails = 20;

/* The rows of `refusal_count`. */

interface RefusalCount extends Omit<Refusal, 'after' | 'times'> {
  readonly minute: Date;
  readonly refusals: number;
  readonly details: JsonObject[];
}

/** Counts refusals and returns how many there are of their action and address in that minute. */
const countRefusal = async (
  tx: Db,
  { action, api, ip, requestId, after, times = 1 }: Refusal,
  minute: Date,
): Promise<number> => {
  const detail = sql`jsonb_build_array(${JSON.stringify(after)}::jsonb)`;
  const counted = await selectOne<{ refusals: number }>(
    tx,
    sql`
      INSERT INTO refusal_count AS c
        (action, address, minute, refusals, actor_api, details, request_id, ip)
      VALUES (${action}, ${ip}, ${minute}::timestamptz, ${times}::int, ${api}, ${detail},
        ${requestId}, ${ip})
      ON CONFLICT (action, address, minute) DO UPDATE SET
        refusals = c.refusals + EXCLUDED.refusals,
        details = CASE WHEN c.details @> ${detail} OR jsonb_array_length(c.details) >= ${maxDetails}
          THEN c.details ELSE c.details || ${detail} END
      RETURNING c.refusals`,
  );
  return counted?.refusals ?? 0;
};

export interface RefusalKey {
  readonly action: string;
  readonly address: string;
  readonly minute: Date;
}

/** Lists the counts of other minutes than `minute` that come after `after`, in a fixed order. */
export const listEndedCounts = (
  db: Db,
  minute: Date,
  { after, limit }: { readonly after: RefusalKey | undefined; readonly limit: number },
): Promise<RefusalKey[]> => {
  const isAfter =
    after === undefined
      ? noSql
      : sql`AND (minute, action, address)
          > (${after.minute}::timestamptz, ${after.action}::text, ${after.address}::text)`;
  return selectRows<RefusalKey>(
    db,
    sql`
      SELECT action, address, minute FROM refusal_count
      WHERE minute <> ${minute}::timestamptz ${isAfter}
      ORDER BY minute, action, address LIMIT ${limit}::int`,
  );
};

/** Deletes and returns counts, but for those that another worker has locked. */
export const takeCounts = (tx: Db, keys: readonly RefusalKey[]): Promise<RefusalCount[]> =>
  selectRows<RefusalCount>(
    tx,
    sql`
      DELETE FROM refusal_count WHERE ctid = ANY (ARRAY(
        SELECT c.ctid FROM refusal_count c
        JOIN unnest(
          ${keys.map(({ action }) => action)}::text[],
          ${keys.map(({ address }) => address)}::text[],
          ${keys.map(({ minute }) => minute)}::timestamptz[]
        ) AS k (action, address, minute) USING (action, address, minute)
        FOR UPDATE OF c SKIP LOCKED))
      RETURNING action, actor_api AS api, ip, request_id AS "requestId", minute, refusals, details`,
  );

const minuteMs = 60_000;
export type RecordEntry = (db: Db, entry: AuditEntry) => Promise<void>;

export const minuteOf = (at: Date): Date => addMs(at, -(at.getTime() % minuteMs));

const entryOf = ({ action, api, ip, requestId, after }: Refusal): AuditEntry => ({
  action,
  outcome: 'REFUSED',
  actor: { api },
  after,
  requestId,
  ip,
});

/**
 * Records a refusal that a stranger can cause again and again: the first of an address in a minute
 * is an audit row at once, the others are counted, and become one row when the minute has passed.
 */
export const recordRefusal = async (
  { clock, record }: { readonly clock: Clock; readonly record: RecordEntry },
  tx: Db,
  refusal: Refusal,
): Promise<void> => {
  const refusals = await countRefusal(tx, refusal, minuteOf(clock.now()));
  if (refusals === (refusal.times ?? 1)) await record(tx, entryOf(refusal));
};

/** The row of those that were only counted. Its request id is the first one's. */
export const summaryOf = ({ minute, refusals, details, ...refusal }: RefusalCount): AuditEntry =>
  entryOf({
    ...refusal,
    after: { minute: minute.toISOString(), further: refusals - 1, refused: details },
  });
