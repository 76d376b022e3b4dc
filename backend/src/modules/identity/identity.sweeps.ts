import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import { createRowPurge, type Purge } from '../../platform/jobs/sweep.ts';
import { refusalWindowMs } from './address-refusals.store.ts';
import { isNewestOfDevice } from './listed-sessions.store.ts';
import { addressWindowMs, guessWindowMs } from './one-time-code.rules.ts';
import { biometricTokenCutoff } from './session-lifetimes.ts';
import { trustCutoff } from './trusted-devices.store.ts';

interface PurgeDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Creates the purges of counts of wrong codes and MPINs that can no longer cause a lock. */
const createGuardPurges = ({ db, clock }: PurgeDeps): readonly Purge[] => {
  const guessedBefore = () => addMs(clock.now(), -2 * guessWindowMs);
  const newestTry = sql`coalesce((SELECT max(at) FROM unnest(tried_at) at), '-infinity')`;
  const newestRefusal = sql`coalesce((SELECT max(at) FROM unnest(refused_at) at), '-infinity')`;
  return [
    createRowPurge(db, {
      name: 'identity-purge-code-guards',
      table: 'otp_guard',
      lapsed: () => sql`coalesce(last_wrong_at, '-infinity') < ${guessedBefore()}::timestamptz`,
    }),
    createRowPurge(db, {
      name: 'identity-purge-mpin-guards',
      table: 'mpin_guard',
      lapsed: () => sql`${newestTry} < ${guessedBefore()}::timestamptz`,
    }),
    createRowPurge(db, {
      name: 'identity-purge-sign-in-guards',
      table: 'sign_in_guard',
      lapsed: () => sql`${newestTry} < ${guessedBefore()}::timestamptz`,
    }),
    createRowPurge(db, {
      name: 'identity-purge-address-refusals',
      table: 'address_refusal',
      lapsed: () => sql`${newestRefusal} < ${addMs(clock.now(), -refusalWindowMs)}::timestamptz`,
    }),
  ];
};

/**
 * Creates the purges of expired rows that decide nothing any more: codes, their sends, counts of
 * tries, and the hashes of deleted accounts' phones after their cool-down.
 */
export const createIdentityPurges = ({ db, clock }: PurgeDeps): readonly Purge[] => [
  createRowPurge(db, {
    name: 'identity-purge-one-time-codes',
    table: 'otp_code',
    lapsed: () => sql`expires_at < ${clock.now()}::timestamptz`,
  }),
  createRowPurge(db, {
    name: 'identity-purge-code-sends',
    table: 'otp_send',
    lapsed: () => sql`sent_at < ${addMs(clock.now(), -2 * addressWindowMs)}::timestamptz`,
  }),
  ...createGuardPurges({ db, clock }),
  createRowPurge(db, {
    name: 'identity-purge-deleted-phones',
    table: 'deleted_phone',
    lapsed: () => sql`until < ${clock.now()}::timestamptz`,
  }),
];

/** Keeps expired sessions for this time, for the investigation of a theft. */
const endedSessionsKeptMs = 30 * 24 * 60 * 60_000;

/**
 * Creates the purges of used refresh tokens that have expired, and of sessions that expired long
 * ago. A session stays for as long as it has a used token, which ends the family when it is
 * presented again. It also stays for as long as its device can sign in without a code, since the
 * customer ends that by the session's id.
 */
export const createSessionPurges = ({ db, clock }: PurgeDeps): readonly Purge[] => [
  createRowPurge(db, {
    name: 'identity-purge-used-refresh-tokens',
    table: 'used_refresh_token',
    lapsed: () => sql`expires_at < ${clock.now()}::timestamptz`,
    orderBy: 'expires_at',
  }),
  {
    name: 'identity-purge-sessions',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM session WHERE id IN (
            SELECT s.id FROM session s
            WHERE s.expires_at < ${addMs(clock.now(), -endedSessionsKeptMs)}::timestamptz
              AND NOT EXISTS (SELECT FROM used_refresh_token u WHERE u.session_id = s.id)
              AND NOT (s.revoked_at IS NULL AND EXISTS (
                SELECT FROM biometric_token b
                WHERE b.user_id = s.user_id AND b.device_id = s.device_id AND b.revoked_at IS NULL
                  AND coalesce(b.last_used_at, b.created_at)
                    > ${biometricTokenCutoff(clock.now())}::timestamptz))
              AND NOT (${isNewestOfDevice} AND EXISTS (
                SELECT FROM trusted_device d
                WHERE d.user_id = s.user_id AND d.device_id = s.device_id AND d.ended_at IS NULL
                  AND d.trusted_at > ${trustCutoff(clock.now())}::timestamptz))
            ORDER BY s.expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
];
