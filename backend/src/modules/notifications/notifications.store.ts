import { selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { Notification } from './notifications.types.ts';

const columns = sql`
  id, type, title, body, data, read_at AS "readAt", created_at AS "createdAt"`;

/** Returns one page of a customer's notifications, newest first, and how many there are. */
export const listNotifications = async (
  db: Db,
  userId: string,
  page: Page,
): Promise<{ readonly rows: readonly Notification[]; readonly total: number }> => {
  const [rows, total] = await Promise.all([
    selectRows<Notification>(
      db,
      sql`
        SELECT ${columns} FROM notification WHERE user_id = ${userId}::uuid
        ORDER BY created_at DESC, id DESC LIMIT ${page.limit}::int OFFSET ${offsetOf(page)}::int`,
    ),
    db.notification.count({ where: { userId } }),
  ]);
  return { rows, total };
};

/**
 * Marks a notification as read at the business time `at`, or leaves it as it was where it is read
 * already. Returns it; undefined when this customer has no notification of that id.
 */
export const markNotificationRead = (
  db: Db,
  { id, userId, at }: { readonly id: string; readonly userId: string; readonly at: Date },
): Promise<Notification | undefined> =>
  selectOne<Notification>(
    db,
    sql`
      UPDATE notification SET read_at = coalesce(read_at, ${at}::timestamptz)
      WHERE id = ${id}::uuid AND user_id = ${userId}::uuid
      RETURNING ${columns}`,
  );
