import { clockSkewMs } from '../../platform/auth/counted-tries.ts';
import { addMs, msBetween } from '../../platform/clock/clock.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';
import { addressGroup } from '../../platform/http/index.ts';

/*
 * Table `address_refusal` has the refused codes and MPINs of an address. They are counted over all
 * phones, so that an attacker cannot try one common MPIN on many phones.
 */

/** Limits the refusals of an address within this time (contract: limits > Sign-in limits). */
export const refusalWindowMs = 60 * 60_000;

/** Returns the group of addresses that counts as one client: an IPv4 address, or an IPv6 /56. */
export const callerAddress = (ip: string): string => addressGroup(ip, 56);

/** The limit of an address, and the time at which it is applied. */
interface RefusalLimit {
  readonly maxRefusals: number;
  readonly now: Date;
}

/** Returns the seconds until an address may try again, or 0 if it may try now. */
const secondsUntilAllowed = (
  refusals: readonly Date[],
  { maxRefusals, now }: RefusalLimit,
): number => {
  const recent = refusals
    .filter((refusedAt) => {
      const ageMs = msBetween(refusedAt, now);
      return ageMs < refusalWindowMs && ageMs > -clockSkewMs;
    })
    .toSorted((a, b) => msBetween(b, a));
  const blocking = recent[recent.length - maxRefusals];
  return blocking === undefined ? 0 : msBetween(now, addMs(blocking, refusalWindowMs)) / 1000;
};

/** Returns the seconds for which sign-ins from an address are refused, or 0 if they are allowed. */
export const findSecondsRefused = async (
  db: Db,
  address: string,
  limit: RefusalLimit,
): Promise<number> => {
  const row = await db.addressRefusal.findUnique({ where: { address } });
  return secondsUntilAllowed(row?.refusedAt ?? [], limit);
};

/** Counts a refusal. Keeps only the newest `maxRefusals`, since the limit reads no older ones. */
export const countRefusal = async (
  tx: Db,
  address: string,
  { maxRefusals, now }: RefusalLimit,
): Promise<void> => {
  await execute(
    tx,
    sql`
      INSERT INTO address_refusal AS r (address, refused_at)
      VALUES (${address}, ARRAY[${now}::timestamptz(3)])
      ON CONFLICT (address) DO UPDATE SET refused_at =
        (r.refused_at || EXCLUDED.refused_at)[
          greatest(1, cardinality(r.refused_at) + 2 - ${maxRefusals}::int):]`,
  );
};

/**
 * Counts a try as a refusal before it is judged, so that concurrent tries cannot outrun the count.
 * `uncountRefusal` takes a right try back. Returns 0 if the try was counted, or else the seconds
 * until the address may try again.
 */
export const chargeAddress = async (
  tx: Db,
  address: string,
  limit: RefusalLimit,
): Promise<number> => {
  const row = await selectOne<{ refusedAt: Date[] }>(
    tx,
    sql`
      INSERT INTO address_refusal (address) VALUES (${address})
      ON CONFLICT (address) DO UPDATE SET address = EXCLUDED.address
      RETURNING refused_at AS "refusedAt"`,
  );
  const waitSeconds = secondsUntilAllowed(row?.refusedAt ?? [], limit);
  if (waitSeconds === 0) await countRefusal(tx, address, limit);
  return waitSeconds;
};

/** Removes the refusal that `chargeAddress` counted at `countedAt`, since that try was right. */
export const uncountRefusal = async (tx: Db, address: string, countedAt: Date): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE address_refusal SET refused_at =
        refused_at[:array_position(refused_at, ${countedAt}::timestamptz(3)) - 1]
        || refused_at[array_position(refused_at, ${countedAt}::timestamptz(3)) + 1:]
      WHERE address = ${address} AND ${countedAt}::timestamptz(3) = ANY (refused_at)`,
  );
};
