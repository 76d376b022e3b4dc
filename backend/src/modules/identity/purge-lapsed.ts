import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import { refusalWindowMs } from './address-refusals.store.ts';
import { addressWindowMs, guessWindowMs } from './one-time-code.rules.ts';
import { isLastOfDevice } from './listed-sessions.store.ts';
import { biometricTokensSince } from './session-lifetimes.ts';
import { trustedSince } from './trusted-devices.store.ts';

interface PurgeDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Deletes the counts of wrong codes and MPINs, and of an address's, that can lock no more. */
const createGuardPurges = ({ db, clock }: PurgeDeps): readonly Purge[] => [
  {
    name: 'purge-code-guards',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM otp_guard WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM otp_guard
            WHERE coalesce(last_wrong_at, '-infinity')
              < ${addMs(clock.now(), -2 * guessWindowMs)}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
      ),
  },
  {
    name: 'purge-mpin-guards',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM mpin_guard WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM mpin_guard
            WHERE coalesce((SELECT max(at) FROM unnest(tried_at) at), '-infinity')
              < ${addMs(clock.now(), -2 * guessWindowMs)}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
      ),
  },
  {
    name: 'purge-sign-in-guards',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM sign_in_guard WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM sign_in_guard
            WHERE coalesce((SELECT max(at) FROM unnest(tried_at) at), '-infinity')
              < ${addMs(clock.now(), -2 * guessWindowMs)}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
      ),
  },
  {
    name: 'purge-address-refusals',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM address_refusal WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM address_refusal
            WHERE coalesce((SELECT max(at) FROM unnest(refused_at) at), '-infinity')
              < ${addMs(clock.now(), -refusalWindowMs)}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
      ),
  },
];

/**
 * Deletes expired rows that decide nothing any more: codes, sends and counts, and the hashes of
 * deleted accounts' numbers past their cool-down.
 */
export const createIdentityPurges = ({ db, clock }: PurgeDeps): readonly Purge[] => [
  {
    name: 'purge-one-time-codes',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM otp_code WHERE id IN (
            SELECT id FROM otp_code WHERE expires_at < ${clock.now()}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
  {
    name: 'purge-code-sends',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM otp_send WHERE id IN (
            SELECT id FROM otp_send
            WHERE sent_at < ${addMs(clock.now(), -2 * addressWindowMs)}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
  ...createGuardPurges({ db, clock }),
  {
    name: 'purge-deleted-phones',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM deleted_phone WHERE phone_hash IN (
            SELECT phone_hash FROM deleted_phone WHERE until < ${clock.now()}::timestamptz
            LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
];

/** Ended sessions are kept for the investigation of a theft. */
const endedSessionsKeptMs = 30 * 24 * 60 * 60_000;

/**
 * Deletes used refresh tokens that could not be used any more either way, then sessions that ended
 * long ago. A session goes after its tokens: one presented again still ends its family, and by the
 * session's id the customer still ends its device's biometric token.
 */
export const createSessionPurges = ({ db, clock }: PurgeDeps): readonly Purge[] => [
  {
    name: 'purge-used-refresh-tokens',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM used_refresh_token WHERE token_hash IN (
            SELECT token_hash FROM used_refresh_token
            WHERE expires_at < ${clock.now()}::timestamptz
            ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
      ),
  },
  {
    name: 'purge-sessions',
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
