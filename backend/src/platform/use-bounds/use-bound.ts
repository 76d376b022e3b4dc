import { addMs, msBetween, type Clock } from '../clock/clock.ts';
import { selectOne, sql, type Db } from '../db/index.ts';
import { createRowPurge, type Purge } from '../jobs/sweep.ts';
import type { Metrics } from '../observability/index.ts';

type Use =
  | { readonly isAllowed: true }
  /** The bound is reached. Another use is possible after this many seconds. */
  | { readonly isAllowed: false; readonly retryAfterSeconds: number };

/** Takes one of the uses that a subject, such as a customer, has in a window. */
export type UseBound = (db: Db, subjectId: string) => Promise<Use>;

interface UseBoundOptions {
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'countBoundReached'>;
  /** The name of the bound in the database and in the metric. */
  readonly name: 'quotes' | 'collaborator_questions' | 'invoice_links';
  readonly most: number;
  readonly windowMs: number;
}

/**
 * Creates a bound on uses, counted in PostgreSQL, so it holds across replicas and without Redis. A
 * window begins with its first use. Refused uses are not counted, so a caller that keeps trying is
 * admitted when the window ends. A window in the future was written before the clock was set back.
 */
export const createUseBound = ({
  clock,
  metrics,
  name,
  most,
  windowMs,
}: UseBoundOptions): UseBound => {
  const take = (db: Db, subjectId: string, now: Date) => {
    const isOver = sql`(w.started_at <= ${addMs(now, -windowMs)}::timestamptz
      OR w.started_at > ${now}::timestamptz)`;
    return selectOne<{ uses: number }>(
      db,
      sql`
        INSERT INTO use_window AS w (name, subject_id, started_at, uses)
        SELECT ${name}, ${subjectId}::uuid, ${now}::timestamptz, 1 WHERE ${most}::int > 0
        ON CONFLICT (name, subject_id) DO UPDATE SET
          started_at = CASE WHEN ${isOver} THEN excluded.started_at ELSE w.started_at END,
          uses = CASE WHEN ${isOver} THEN 1 ELSE w.uses + 1 END
        WHERE ${isOver} OR w.uses < ${most}::int
        RETURNING uses`,
    );
  };
  return async (db, subjectId) => {
    const now = clock.now();
    if ((await take(db, subjectId, now)) !== undefined) return { isAllowed: true };
    metrics.countBoundReached(name);
    const where = { name_subjectId: { name, subjectId } };
    const row = await db.useWindow.findUnique({ where, select: { startedAt: true } });
    const remainingMs = msBetween(now, addMs(row?.startedAt ?? now, windowMs));
    return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1000)) };
  };
};

/** The length of the longest window. */
const longestMs = 24 * 60 * 60_000;

/** Creates the purge of windows that ended long ago. */
export const createUsePurge = ({ db, clock }: { readonly db: Db; readonly clock: Clock }): Purge =>
  createRowPurge(db, {
    name: 'use-bounds-purge-windows',
    table: 'use_window',
    lapsed: () => sql`started_at < ${addMs(clock.now(), -longestMs)}::timestamptz`,
    orderBy: 'started_at',
  });
