import { clockSkewMs } from '../../platform/auth/counted-tries.ts';
import { addMs, msBetween } from '../../platform/clock/clock.ts';
import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';
import { addressGroup } from '../../platform/http/index.ts';

/*
 * The rows of `address_refusal`: refused codes and MPINs of an address, over all phones, so that an
 * attacker can't try one common MPIN on many of them.
 */

/** Counts the refusals of this time (contract: limits > Sign-in limits). */
export const refusalWindowMs = 60 * 60_000;

/** Returns the addresses that one client is taken to have: an IPv4 address, or an IPv6 /56. */
export const callerAddress = (ip: string): string => addressGroup(ip, 56);

/** Returns the seconds until an address may try again, or 0 when it may now. */
const secondsLeft = (refusedAt: readonly Date[], most: number, now: Date): number => {
  const counted = refusedAt
    .filter((at) => {
      const ageMs = msBetween(at, now);
      return ageMs < refusalWindowMs && ageMs > -clockSkewMs;
    })
    .toSorted((a, b) => msBetween(b, a));
  const oldest = counted[counted.length - most];
  return oldest === undefined ? 0 : msBetween(now, addMs(oldest, refusalWindowMs)) / 1000;
};

/** Returns the seconds for which sign-ins from an address are refused, or 0 if they are allowed. */
export const findSecondsRefused = async (
  db: Db,
  address: string,
  { most, now }: { readonly most: number; readonly now: Date },
): Promise<number> => {
  const row = await db.addressRefusal.findUnique({ where: { address } });
  return secondsLeft(row?.refusedAt ?? [], most, now);
};

/** Counts a refusal. Only the newest `most` are kept, since no more are ever read. */
export const countRefusal = async (
  tx: Db,
  address: string,
  { most, now }: { readonly most: number; readonly now: Date },
): Promise<void> => {
  await execute(
    tx,
    sql`
      INSERT INTO address_refusal AS r (address, refused_at)
      VALUES (${address}, ARRAY[${now}::timestamptz(3)])
      ON CONFLICT (address) DO UPDATE SET refused_at =
        (r.refused_at || EXCLUDED.refused_at)[
          greatest(1, cardinality(r.refused_at) + 2 - ${most}::int):]`,
  );
};

/**
 * Counts a try before it is judged, as a refusal until `uncountRefusal`, so that tries at once
 * cannot outrun the count. Returns the seconds until one may be made, or 0 where it was counted.
 */
export const chargeAddress = async (
  tx: Db,
  address: string,
  { most, now }: { readonly most: number; readonly now: Date },
): Promise<number> => {
  const row = await selectOne<{ refusedAt: Date[] }>(
    tx,
    sql`
      INSERT INTO address_refusal (address) VALUES (${address})
      ON CONFLICT (address) DO UPDATE SET address = EXCLUDED.address
      RETURNING refused_at AS "refusedAt"`,
  );
  const seconds = secondsLeft(row?.refusedAt ?? [], most, now);
  if (seconds === 0) await countRefusal(tx, address, { most, now });
  return seconds;
};

/** Counts one try of that moment, which proved right, no longer. */
export const uncountRefusal = async (tx: Db, address: string, at: Date): Promise<void> => {
  await execute(
    tx,
    sql`
      UPDATE address_refusal SET refused_at =
        refused_at[:array_position(refused_at, ${at}::timestamptz(3)) - 1]
        || refused_at[array_position(refused_at, ${at}::timestamptz(3)) + 1:]
      WHERE address = ${address} AND ${at}::timestamptz(3) = ANY (refused_at)`,
  );
};
