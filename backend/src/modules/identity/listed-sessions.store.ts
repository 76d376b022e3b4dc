import { selectOne, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { ListedSession } from './identity.types.ts';
import { biometricTokensSince } from './session-lifetimes.ts';
import { trustedSince } from './trusted-devices.store.ts';

/*
 * The sessions that a customer sees: live ones, and the last one of a device that can still sign in
 * without a code, though it ran out, signed out or was crowded out. So nothing that opens the
 * account is hidden from its owner.
 */

const hasBiometricToken = (now: Date): Sql => sql`
  EXISTS (
    SELECT FROM biometric_token b
    WHERE b.user_id = s.user_id AND b.device_id = s.device_id AND b.revoked_at IS NULL
      AND coalesce(b.last_used_at, b.created_at) > ${biometricTokensSince(now)}::timestamptz)`;

const isOnTrustedDevice = (now: Date): Sql => sql`
  EXISTS (
    SELECT FROM trusted_device d
    WHERE d.user_id = s.user_id AND d.device_id = s.device_id AND d.ended_at IS NULL
      AND d.trusted_at > ${trustedSince(now)}::timestamptz)`;

/** Is true of the session of a device that no later one replaced. */
export const isLastOfDevice = sql`
  NOT EXISTS (
    SELECT FROM session later
    WHERE later.user_id = s.user_id AND later.device_id = s.device_id
      AND (later.created_at, later.id) > (s.created_at, s.id))`;

const isListed = (userId: string, now: Date): Sql => sql`
  s.user_id = ${userId}::uuid AND (
    s.revoked_at IS NULL
      AND (s.expires_at > ${now}::timestamptz OR ${hasBiometricToken(now)})
    OR ${isOnTrustedDevice(now)} AND ${isLastOfDevice})`;

/** Returns a page of the sessions that a customer sees, newest first, and their number. */
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
  const counted = await selectOne<{ total: number }>(
    db,
    sql`SELECT count(*)::int AS total FROM session s WHERE ${isListed(userId, now)}`,
  );
  return { items, total: counted?.total ?? 0 };
};

/** Returns the device of a session that its owner sees, or undefined for any other session. */
export const findListedDevice = async (
  db: Db,
  { id, userId }: { readonly id: string; readonly userId: string },
  now: Date,
): Promise<string | undefined> => {
  const where = sql`s.id = ${id}::uuid AND ${isListed(userId, now)}`;
  const found = await selectOne<{ deviceId: string }>(
    db,
    sql`SELECT s.device_id AS "deviceId" FROM session s WHERE ${where}`,
  );
  return found?.deviceId;
};
