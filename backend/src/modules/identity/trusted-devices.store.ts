import { addMs } from '../../platform/clock/clock.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';

/* The rows of `trusted_device` (contract: identity-and-kyc > Trusted devices). */

const dayMs = 24 * 60 * 60_000;
/** Ends the trust of a device that did not sign in by code for so long. */
const trustMs = 180 * dayMs;
/** The wrong MPINs that take the trust away: of a device, and of all devices in a day. */
const maxRefusals = 10;
const maxDayRefusals = 20;

interface DeviceKey {
  readonly userId: string;
  readonly deviceId: string;
}

/** Returns the moment since which a device must have signed in by code to be trusted now. */
export const trustedSince = (now: Date): Date => addMs(now, -trustMs);

const goodSince = (now: Date) => ({
  trustedAt: { gt: trustedSince(now) },
  endedAt: null,
  refusals: { lt: maxRefusals },
});

/** Returns true for a device that is trusted at `now`. */
export const isTrustedDevice = async (
  db: Db,
  { userId, deviceId }: DeviceKey,
  now: Date,
): Promise<boolean> => {
  const where = { userId, deviceId, ...goodSince(now) };
  return (await db.trustedDevice.count({ where })) > 0;
};

/** The customer of an MPIN sign-in, and their trusted device. */
export interface MpinCaller {
  readonly userId: string;
  /** Null before the customer set one. */
  readonly mpinHash: string | null;
  readonly isTrusted: boolean;
  /** True for a customer who has or had a trusted device: others may not use the MPIN. */
  readonly hasDevices: boolean;
}

/** Returns the customer of a phone, a blocked one too, with what is known of the device. */
export const findMpinCaller = (
  db: Db,
  { phone, deviceId }: { readonly phone: string; readonly deviceId: string | undefined },
  now: Date,
): Promise<MpinCaller | undefined> =>
  selectOne<MpinCaller>(
    db,
    sql`
      SELECT u.id::text AS "userId", u.mpin_hash AS "mpinHash",
        EXISTS (
          SELECT FROM trusted_device d
          WHERE d.user_id = u.id AND d.device_id = ${deviceId ?? ''} AND d.ended_at IS NULL
            AND d.trusted_at > ${trustedSince(now)}::timestamptz
            AND d.refusals < ${maxRefusals}::int) AS "isTrusted",
        EXISTS (SELECT FROM trusted_device d WHERE d.user_id = u.id) AS "hasDevices"
      FROM app_user u WHERE u.phone = ${phone}`,
  );

/** Returns true if the device is trusted for the customer who has this phone. */
export const isTrustedForPhone = async (
  db: Db,
  { phone, deviceId }: { readonly phone: string; readonly deviceId: string | undefined },
  now: Date,
): Promise<boolean> => {
  const where = { deviceId: deviceId ?? '', user: { phone }, ...goodSince(now) };
  return (await db.trustedDevice.count({ where })) > 0;
};

/** Shorter ids can be guessed. The client names none that is longer. */
const minIdLength = 16;
/** Keeps the devices that signed in by code last. */
const maxDevices = 20;

/**
 * Trusts a device that signed in by code, unless its id is too short, and forgets the wrong MPINs of
 * the customer's devices. The caller has the user's row locked.
 */
export const trustDevice = async (
  tx: Db,
  { userId, deviceId }: DeviceKey,
  trustedAt: Date,
): Promise<void> => {
  if (deviceId.length < minIdLength) return;
  await tx.trustedDevice.updateMany({ where: { userId }, data: { refusedAt: [] } });
  const renewed = { trustedAt, endedAt: null, refusals: 0 };
  await tx.trustedDevice.upsert({
    where: { userId_deviceId: { userId, deviceId } },
    create: { userId, deviceId, ...renewed },
    update: renewed,
    select: { userId: true },
  });
  await execute(
    tx,
    sql`
      DELETE FROM trusted_device WHERE user_id = ${userId}::uuid AND device_id IN (
        SELECT device_id FROM trusted_device WHERE user_id = ${userId}::uuid
        ORDER BY trusted_at DESC, device_id OFFSET ${maxDevices}::int)`,
  );
};

/** Revokes the trust of a device whose session its owner ended. */
export const revokeTrust = async (
  tx: Db,
  { userId, deviceId }: DeviceKey,
  endedAt: Date,
): Promise<void> => {
  await tx.trustedDevice.updateMany({
    where: { userId, deviceId, endedAt: null },
    data: { endedAt },
  });
};

/**
 * Counts a try of a trusted device before it is judged, as a wrong one until `uncountTry`. Returns
 * false where other tries have spent the trust by now.
 */
export const chargeDevice = async (
  tx: Db,
  { userId, deviceId }: DeviceKey,
  at: Date,
): Promise<boolean> => {
  const charged = await execute(
    tx,
    sql`
      UPDATE trusted_device SET refusals = refusals + 1,
        refused_at = (refused_at || ${at}::timestamptz(3))[
          greatest(1, cardinality(refused_at) + 2 - ${maxDayRefusals}::int):]
      WHERE user_id = ${userId}::uuid AND device_id = ${deviceId} AND ended_at IS NULL
        AND refusals < ${maxRefusals}::int`,
  );
  return charged === 1;
};

/** Counts a try that proved right no longer, and resets the wrong ones since the last sign-in. */
export const uncountTry = async (
  tx: Db,
  { userId, deviceId }: DeviceKey,
  at: Date,
): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE trusted_device d SET refusals = 0, refused_at = CASE
        WHEN found.place IS NULL THEN refused_at
        ELSE refused_at[:found.place - 1] || refused_at[found.place + 1:] END
      FROM (
        SELECT array_position(refused_at, ${at}::timestamptz(3)) AS place FROM trusted_device
        WHERE user_id = ${userId}::uuid AND device_id = ${deviceId}) AS found
      WHERE user_id = ${userId}::uuid AND device_id = ${deviceId}`,
  );
};

/** Resets the count of wrong MPINs of a device since its last sign-in: it signs in now. */
export const resetRefusals = async (tx: Db, { userId, deviceId }: DeviceKey): Promise<void> => {
  const where = { userId, deviceId, refusals: { gt: 0 } };
  await tx.trustedDevice.updateMany({ where, data: { refusals: 0 } });
};

/**
 * Takes the trust away from a device of ten wrong MPINs, and from all of the customer's devices
 * after twenty in a day. Returns how many devices lost it.
 */
export const revokeSpentTrust = (
  tx: Db,
  { userId, deviceId }: DeviceKey,
  now: Date,
): Promise<number> =>
  execute(
    tx,
    sql`
      UPDATE trusted_device SET ended_at = ${now}::timestamptz
      WHERE user_id = ${userId}::uuid AND ended_at IS NULL
        AND (device_id = ${deviceId} AND refusals >= ${maxRefusals}::int OR (
          SELECT count(*) FROM trusted_device d, unnest(d.refused_at) AS at
          WHERE d.user_id = ${userId}::uuid AND at > ${addMs(now, -dayMs)}::timestamptz
        ) >= ${maxDayRefusals}::int)`,
  );
