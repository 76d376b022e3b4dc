import type { Clock } from '../../platform/clock/clock.ts';
import type { Random } from '../../platform/ids/random.ts';
import { selectOne, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { Notify, Notification } from './notifications.types.ts';

/**
 * Creates the one way to notify a customer: a row of `notification`. Delivery by push, SMS or email
 * is not part of the service (contract: customers > Notifications).
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

/** Returns one page of a customer's notifications, newest first, and how many there are. */
export const listNotifications = async (
  db: Db,
  userId: string,
  page: Page,
): Promise<{ readonly rows: readonly Notification[]; readonly total: number }> => {
  const [rows, total] = await Promise.all([
    db.notification.findMany({
      where: { userId },
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
    db.notification.count({ where: { userId } }),
  ]);
  return { rows: rows as Notification[], total }; // as `notify` wrote them
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

/** Deletes every notification of a customer, in the transaction that deletes their account. */
export const deleteNotifications = async (tx: Db, userId: string): Promise<void> => {
  await tx.notification.deleteMany({ where: { userId } });
};
