import type { Clock } from '../../platform/clock/clock.ts';
import type { Random } from '../../platform/ids/random.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Between, type Page } from '../../platform/http/index.ts';
import type { Notify, Notification } from './notifications.types.ts';

/**
 * Creates the function that notifies a customer, which inserts a row of `notification`. The service does
 * not deliver notifications by push, SMS or email (contract: customers > Notifications).
 */
export const createNotify =
  ({ clock, random }: { readonly clock: Clock; readonly random: Random }): Notify =>
  async (db, { userId, type, title, body, data = {}, dedupeKey = null }) => {
    const row = { id: random.uuid(), userId, type, title, body, data, dedupeKey };
    await db.notification.createMany({
      data: [{ ...row, createdAt: clock.now() }],
      skipDuplicates: true,
    });
  };

const columns = sql`
  id, type, title, body, data, read_at AS "readAt", created_at AS "createdAt"`;

interface NotificationFilter extends Between {
  readonly userId: string;
  /** True for unread notifications only, false for read notifications only. */
  readonly unread?: boolean | undefined;
}

const whereOf = ({ userId, from, to, unread }: NotificationFilter) => ({
  userId,
  ...((from !== undefined || to !== undefined) && {
    createdAt: { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) },
  }),
  ...(unread !== undefined && { readAt: unread ? null : { not: null } }),
});

/** Returns a page of a customer's notifications, newest first, and the number of matching ones. */
export const listNotifications = async (
  db: Db,
  filter: NotificationFilter,
  page: Page,
): Promise<{ readonly rows: readonly Notification[]; readonly total: number }> => {
  const where = whereOf(filter);
  const [rows, total] = await Promise.all([
    db.notification.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: page.limit,
      skip: offsetOf(page),
      select: {
        id: true,
        type: true,
        title: true,
        body: true,
        data: true,
        readAt: true,
        createdAt: true,
      },
    }),
    db.notification.count({ where }),
  ]);
  // Only `notify` inserts rows, so the types and data are valid.
  return { rows: rows as Notification[], total };
};

/**
 * Marks a notification as read at the business time `now`, unless it is already read. Returns the
 * notification, or undefined if the customer has no notification with this id.
 */
export const markNotificationRead = (
  db: Db,
  { id, userId, now }: { readonly id: string; readonly userId: string; readonly now: Date },
): Promise<Notification | undefined> =>
  selectOne<Notification>(
    db,
    sql`
      UPDATE notification SET read_at = coalesce(read_at, ${now}::timestamptz)
      WHERE id = ${id}::uuid AND user_id = ${userId}::uuid
      RETURNING ${columns}`,
  );

/** The maximum number of unread notifications that are counted. */
export const maxUnread = 1000;

/** Counts a customer's unread notifications, up to `maxUnread`. */
export const countUnread = async (db: Db, userId: string): Promise<number> => {
  const row = await selectOne<{ unread: number }>(
    db,
    sql`
      SELECT count(*)::int AS unread FROM (
        SELECT FROM notification WHERE user_id = ${userId}::uuid AND read_at IS NULL
        LIMIT ${maxUnread}::int) AS counted`,
  );
  return row?.unread ?? 0;
};

/** The maximum number of rows of one statement, so that no row is locked for long. */
const batchSize = 5000;

/**
 * Marks a customer's unread notifications that were created until `before` as read at the business time
 * `at`. Returns the number of notifications that were marked.
 */
export const markAllRead = async (
  db: Db,
  { userId, before, now }: { readonly userId: string; readonly before: Date; readonly now: Date },
): Promise<number> => {
  let read = 0;
  for (;;) {
    const changed = await execute(
      db,
      sql`
        UPDATE notification SET read_at = ${now}::timestamptz WHERE id IN (
          SELECT id FROM notification
          WHERE user_id = ${userId}::uuid AND read_at IS NULL
            AND created_at <= ${before}::timestamptz
          ORDER BY created_at DESC, id DESC LIMIT ${batchSize}::int FOR UPDATE SKIP LOCKED)`,
    );
    read += changed;
    if (changed < batchSize) return read;
  }
};

/** Deletes every notification of a customer, in the transaction that deletes the account. */
export const deleteNotifications = async (tx: Db, userId: string): Promise<void> => {
  await tx.notification.deleteMany({ where: { userId } });
};
