import { noSql, selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import type { JsonObject } from '../../platform/jobs/index.ts';
import { addMs, type Clock } from '../../platform/clock/clock.ts';
import type { Refusal, AuditEntry } from './audit.types.ts';

/** Limits the details of a row, since a stranger can cause many different ones. */
const maxDetails = 20;

/* The rows of `refusal_count`. */

interface RefusalCount extends Omit<Refusal, 'after' | 'times'> {
  readonly minute: Date;
  readonly refusals: number;
  readonly details: JsonObject[];
}

/** Counts refusals, and returns the number for their action and address in that minute. */
const countRefusal = async (
  tx: Db,
  { action, api, ip, requestId, after, times = 1 }: Refusal,
  minute: Date,
): Promise<number> => {
  const detail = sql`jsonb_build_array(${JSON.stringify(after)}::jsonb)`;
  const row = await selectOne<{ refusals: number }>(
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
  return row?.refusals ?? 0;
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

/** Deletes counts and returns them. Skips counts that another worker has locked. */
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
 * Records a refusal that a stranger can cause repeatedly. The first one of an action and address in
 * a minute writes an audit row at once. Further ones are counted, and a sweep writes one row for
 * them after the minute.
 */
export const recordRefusal = async (
  { clock, record }: { readonly clock: Clock; readonly record: RecordEntry },
  tx: Db,
  refusal: Refusal,
): Promise<void> => {
  const refusals = await countRefusal(tx, refusal, minuteOf(clock.now()));
  if (refusals === (refusal.times ?? 1)) await record(tx, entryOf(refusal));
};

/** Returns the audit row of the refusals that were only counted. It has the first one's request id. */
export const summaryOf = ({ minute, refusals, details, ...refusal }: RefusalCount): AuditEntry =>
  entryOf({
    ...refusal,
    after: { minute: minute.toISOString(), further: refusals - 1, refused: details },
  });
