import type { Clock } from '../../platform/clock/clock.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Notify } from './notifications.types.ts';

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
