import { addMs } from '../../platform/clock/clock.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';

/* The rows of `trusted_device` (contract: identity-and-kyc > Trusted devices). */

const dayMs = 24 * 60 * 60_000;
/** Ends the trust in a device that has not signed in by code for this time. */
const trustMs = 180 * dayMs;
/** Ends the trust in a device after so many wrong MPINs since its last sign-in. */
const maxRefusals = 10;
/** Ends the trust in all devices of a customer after so many wrong MPINs in a day. */
const maxDayRefusals = 20;

interface DeviceKey {
  readonly userId: string;
  readonly deviceId: string;
}

/** Returns the time after which a device must have signed in by code to be trusted now. */
export const trustCutoff = (now: Date): Date => addMs(now, -trustMs);

const trustedDevices = (now: Date) => ({
  trustedAt: { gt: trustCutoff(now) },
  endedAt: null,
  refusals: { lt: maxRefusals },
});

/** Returns true for a device that is trusted at `now`. */
export const isTrustedDevice = async (
  db: Db,
  { userId, deviceId }: DeviceKey,
  now: Date,
): Promise<boolean> => {
  const where = { userId, deviceId, ...trustedDevices(now) };
  return (await db.trustedDevice.count({ where })) > 0;
};

/** The customer who signs in with an MPIN, and the trust in their device. */
export interface MpinCaller {
  readonly userId: string;
  /** Null until the customer sets an MPIN. */
  readonly mpinHash: string | null;
  readonly isTrusted: boolean;
  /** True if the customer has or had a trusted device. Other devices may then not use the MPIN. */
  readonly hasDevices: boolean;
}

/** Returns the customer of a phone, even a blocked one, with the trust in the device. */
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
            AND d.trusted_at > ${trustCutoff(now)}::timestamptz
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
  const where = { deviceId: deviceId ?? '', user: { phone }, ...trustedDevices(now) };
  return (await db.trustedDevice.count({ where })) > 0;
};

/** A shorter device id could be guessed, so its device is not trusted. */
const minIdLength = 16;
/** Limits the devices of a customer. The ones that signed in by code last are kept. */
const maxDevices = 20;

/**
 * Trusts a device that signed in by code, unless its id is too short. Resets the day's count of
 * wrong MPINs on all devices of the customer. The caller has locked the user.
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

/** Revokes the trust in a device whose session its owner ended. */
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
 * Counts a try of a trusted device as wrong before it is judged. `uncountTry` takes a right one back.
 * Returns false if other tries have spent the trust meanwhile.
 */
export const chargeDevice = async (
  tx: Db,
  { userId, deviceId }: DeviceKey,
  at: Date,
): Promise<boolean> => {
  const changedRows = await execute(
    tx,
    sql`
      UPDATE trusted_device SET refusals = refusals + 1,
        refused_at = (refused_at || ${at}::timestamptz(3))[
          greatest(1, cardinality(refused_at) + 2 - ${maxDayRefusals}::int):]
      WHERE user_id = ${userId}::uuid AND device_id = ${deviceId} AND ended_at IS NULL
        AND refusals < ${maxRefusals}::int`,
  );
  return changedRows === 1;
};

/**
 * Removes the try that `chargeDevice` counted at `countedAt`, since it was right, and resets the
 * count of wrong MPINs since the device's last sign-in.
 */
export const uncountTry = async (
  tx: Db,
  { userId, deviceId }: DeviceKey,
  countedAt: Date,
): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE trusted_device d SET refusals = 0, refused_at = CASE
        WHEN found.place IS NULL THEN refused_at
        ELSE refused_at[:found.place - 1] || refused_at[found.place + 1:] END
      FROM (
        SELECT array_position(refused_at, ${countedAt}::timestamptz(3)) AS place FROM trusted_device
        WHERE user_id = ${userId}::uuid AND device_id = ${deviceId}) AS found
      WHERE user_id = ${userId}::uuid AND device_id = ${deviceId}`,
  );
};

/** Resets the count of wrong MPINs since a device's last sign-in, because it signs in now. */
export const resetRefusals = async (tx: Db, { userId, deviceId }: DeviceKey): Promise<void> => {
  const where = { userId, deviceId, refusals: { gt: 0 } };
  await tx.trustedDevice.updateMany({ where, data: { refusals: 0 } });
};

/**
 * Ends the trust in a device after ten wrong MPINs, and in all of the customer's devices after
 * twenty in a day. Returns the number of devices whose trust ended.
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
