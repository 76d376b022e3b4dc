import type { Clock } from '../../platform/clock/clock.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Notify } from './notifications.types.ts';

/**
 * The one way to tell a customer something: a row of `notification`. Delivery by push, SMS or
 * e-mail is not part of the service (contract: customers > Notifications).
 */
export const createNotify =
  (options: { readonly clock: Clock; readonly random: Random }): Notify =>
  async (db, notification) => {
    const { userId, type, title, body, data = {}, dedupeKey = null } = notification;
    await db.$executeRaw`
      INSERT INTO notification (id, user_id, type, title, body, data, dedupe_key, created_at)
      VALUES (${options.random.uuid()}::uuid, ${userId}::uuid, ${type}, ${title}, ${body},
        ${JSON.stringify(data)}::jsonb, ${dedupeKey}, ${options.clock.now()}::timestamptz)
      ON CONFLICT (dedupe_key) DO NOTHING`;
  };
