import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import { createRowPurge, type Purge } from '../../platform/jobs/sweep.ts';
import { refusalWindowMs } from './address-refusals.store.ts';
import { isLastOfDevice } from './listed-sessions.store.ts';
import { addressWindowMs, guessWindowMs } from './one-time-code.rules.ts';
import { biometricTokensSince } from './session-lifetimes.ts';
import { trustedSince } from './trusted-devices.store.ts';

interface PurgeDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Deletes the counts of wrong codes and MPINs, and of an address's, that can lock no more. */
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
 * Deletes expired rows that decide nothing any more: codes, sends and counts, and the hashes of
 * deleted accounts' numbers past their cool-down.
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

/** Keeps ended sessions for the investigation of a theft. */
const endedSessionsKeptMs = 30 * 24 * 60 * 60_000;

/**
 * Deletes used refresh tokens that could not be used any more either way, then sessions that ended
 * long ago. A session goes after its tokens: one presented again still ends its family, and by the
 * session's id the customer still ends its device's biometric token.
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
                    > ${biometricTokensSince(clock.now())}::timestamptz))
              AND NOT (${isLastOfDevice} AND EXISTS (
                SELECT FROM trusted_device d
                WHERE d.user_id = s.user_id AND d.device_id = s.device_id AND d.ended_at IS NULL
                  AND d.trusted_at > ${trustedSince(clock.now())}::timestamptz))
            ORDER BY s.expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
];
