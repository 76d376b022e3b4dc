import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { CountedEventKind, NewSecurityEvent } from './security-events.types.ts';

interface Deps {
  readonly clock: Clock;
  readonly random: Random;
}

const minuteMs = 60_000;
/** Keeps events for 400 days (contract: limits > Retention). */
export const keptMs = 400 * 24 * 60 * minuteMs;

/* The rows of `security_event`. */

/** Writes an event in the caller's transaction. */
export const recordSecurityEvent = async (
  db: Db,
  { clock, random }: Deps,
  event: NewSecurityEvent,
): Promise<void> => {
  await db.securityEvent.create({ data: { id: random.uuid(), ...event, at: clock.now() } });
};

/**
 * Counts an event that a stranger can cause. Each customer, address and minute has one row. For a
 * phone without a customer it runs the same query and writes nothing, so that the time does not
 * reveal the difference.
 */
export const countSecurityEvent = async (
  db: Db,
  { clock, random }: Deps,
  event: {
    readonly userId: string | undefined;
    readonly kind: CountedEventKind;
    readonly ip: string;
  },
): Promise<void> => {
  const at = clock.now();
  const minute = addMs(at, -(at.getTime() % minuteMs));
  await execute(
    db,
    sql`
      INSERT INTO security_event AS e (id, user_id, kind, ip, minute, at)
      SELECT ${random.uuid()}::uuid, customer.id, ${event.kind}, ${event.ip},
        ${minute}::timestamptz, ${at}::timestamptz
      FROM (SELECT ${event.userId ?? null}::uuid AS id) AS customer
      WHERE customer.id IS NOT NULL
      ON CONFLICT (user_id, kind, ip, minute) DO UPDATE SET count = e.count + 1`,
  );
};

/**
 * Searches the recorded sign-ins of a customer on new devices. `isKnown` is true if one was on this
 * device, and `hasAny` if there is any at all.
 */
export const findSignInHistory = async (
  db: Db,
  userId: string,
  deviceId: string,
): Promise<{ readonly isKnown: boolean; readonly hasAny: boolean }> => {
  const where = { userId, kind: 'device_signed_in' };
  const select = { id: true };
  const anyEvent = await db.securityEvent.findFirst({ where, select });
  if (anyEvent === null) return { isKnown: false, hasAny: false };
  const ofDevice = await db.securityEvent.findFirst({ where: { ...where, deviceId }, select });
  return { isKnown: ofDevice !== null, hasAny: true };
};

/** Erases the device ids in the events of a deleted customer. The events themselves stay. */
export const eraseDeviceIds = async (tx: Db, userId: string): Promise<void> => {
  const where = { userId, deviceId: { not: null } };
  await tx.securityEvent.updateMany({ where, data: { deviceId: null } });
};
