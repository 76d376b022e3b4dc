import { selectOne, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { ListedSession } from './identity.types.ts';
import { biometricTokenCutoff } from './session-lifetimes.ts';
import { trustCutoff } from './trusted-devices.store.ts';

/*
 * The sessions that a customer sees are the live ones, and the newest one of each device that can
 * still sign in without a code after its session ended. So every way into the account is shown to
 * its owner.
 */

const hasBiometricToken = (now: Date): Sql => sql`
  EXISTS (
    SELECT FROM biometric_token b
    WHERE b.user_id = s.user_id AND b.device_id = s.device_id AND b.revoked_at IS NULL
      AND coalesce(b.last_used_at, b.created_at) > ${biometricTokenCutoff(now)}::timestamptz)`;

const isOnTrustedDevice = (now: Date): Sql => sql`
  EXISTS (
    SELECT FROM trusted_device d
    WHERE d.user_id = s.user_id AND d.device_id = s.device_id AND d.ended_at IS NULL
      AND d.trusted_at > ${trustCutoff(now)}::timestamptz)`;

/** Matches a session `s` that is the newest of its device. */
export const isNewestOfDevice = sql`
  NOT EXISTS (
    SELECT FROM session later
    WHERE later.user_id = s.user_id AND later.device_id = s.device_id
      AND (later.created_at, later.id) > (s.created_at, s.id))`;

const isListed = (userId: string, now: Date): Sql => sql`
  s.user_id = ${userId}::uuid AND (
    s.revoked_at IS NULL
      AND (s.expires_at > ${now}::timestamptz OR ${hasBiometricToken(now)})
    OR ${isOnTrustedDevice(now)} AND ${isNewestOfDevice})`;

/** Returns a page of the sessions that a customer sees, newest first, and the number of all of them. */
export const listSessions = async (
  db: Db,
  userId: string,
  now: Date,
  page: Page,
): Promise<{ items: ListedSession[]; total: number }> => {
  const items = await selectRows<ListedSession>(
    db,
    sql`
      SELECT s.id::text AS id, s.user_id::text AS "userId", s.device_id AS "deviceId",
        s.device_name AS "deviceName", s.created_at AS "createdAt",
        s.last_used_at AS "lastUsedAt", least(s.expires_at, s.revoked_at) AS "expiresAt",
        ${hasBiometricToken(now)} AS biometric, ${isOnTrustedDevice(now)} AS trusted
      FROM session s WHERE ${isListed(userId, now)}
      ORDER BY s.created_at DESC, s.id DESC
      OFFSET ${offsetOf(page)}::int LIMIT ${page.limit}::int`,
  );
  const countRow = await selectOne<{ total: number }>(
    db,
    sql`SELECT count(*)::int AS total FROM session s WHERE ${isListed(userId, now)}`,
  );
  return { items, total: countRow?.total ?? 0 };
};

/** Returns the device id of a session that its owner sees, or undefined for any other session. */
export const findListedDevice = async (
  db: Db,
  { id, userId }: { readonly id: string; readonly userId: string },
  now: Date,
): Promise<string | undefined> => {
  const where = sql`s.id = ${id}::uuid AND ${isListed(userId, now)}`;
  const session = await selectOne<{ deviceId: string }>(
    db,
    sql`SELECT s.device_id AS "deviceId" FROM session s WHERE ${where}`,
  );
  return session?.deviceId;
};
