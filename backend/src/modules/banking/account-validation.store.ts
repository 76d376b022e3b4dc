import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { statesBefore } from './banking.states.ts';

export interface Verdict {
  readonly status: 'VERIFIED' | 'FAILED';
  readonly validationId: string | undefined;
  readonly registeredNameSealed: string | undefined;
  readonly nameMatchScore: number | undefined;
  readonly failureReason: string | undefined;
}

/** The validations of bank accounts: asked for, asked about, decided. */
export const createAccountValidationStore = (db: Db) => ({
  /** Writes down that the provider is being asked now: the intent, before any call. */
  async touch(id: string, at: Date): Promise<void> {
    await db.$executeRaw`
      UPDATE bank_account SET validation_requested_at = ${at}::timestamptz
      WHERE id = ${id}::uuid AND status = 'PENDING'`;
  },

  /** Nothing was sent, or nothing came of it: the next worker may start at once. */
  async release(id: string, attempt: number): Promise<void> {
    await db.$executeRaw`
      UPDATE bank_account SET validation_requested_at = NULL
      WHERE id = ${id}::uuid AND status = 'PENDING' AND validation_attempt = ${attempt}::int
        AND provider_validation_id IS NULL`;
  },

  /** Keeps the provider's name of this attempt's validation. */
  async name(id: string, attempt: number, validationId: string): Promise<void> {
    await db.$executeRaw`
      UPDATE bank_account SET provider_validation_id = ${validationId}
      WHERE id = ${id}::uuid AND status = 'PENDING' AND validation_attempt = ${attempt}::int
        AND provider_validation_id IS NULL`;
  },

  /** Forgets a validation that the provider knows nothing of. */
  async forget(id: string, validationId: string): Promise<void> {
    await db.$executeRaw`
      UPDATE bank_account
      SET provider_validation_id = NULL, validation_requested_at = NULL
      WHERE id = ${id}::uuid AND status = 'PENDING'
        AND provider_validation_id = ${validationId}`;
  },

  /** PENDING -> VERIFIED or FAILED; false when it is not PENDING. */
  async decide(id: string, verdict: Verdict, at: Date): Promise<boolean> {
    const { status, validationId, registeredNameSealed, nameMatchScore, failureReason } = verdict;
    const verifiedAt = status === 'VERIFIED' ? at : null;
    const count = await db.$executeRaw`
      UPDATE bank_account
      SET status = ${status},
        provider_validation_id = coalesce(provider_validation_id, ${validationId ?? null}),
        registered_name_sealed = ${registeredNameSealed ?? null},
        name_match_score = ${nameMatchScore ?? null}::int,
        failure_reason = ${failureReason ?? null},
        verified_at = ${verifiedAt}::timestamptz, updated_at = ${at}::timestamptz
      WHERE id = ${id}::uuid AND status = ANY(${statesBefore(status)}::text[])`;
    return count === 1;
  },

  /** Open validations that nobody has asked about for `quietMs`, those asked longest ago first. */
  async listOpen(now: Date, quietMs: number, limit: number): Promise<string[]> {
    const quietSince = addMs(now, -quietMs);
    // A last time that lies ahead is of a clock that was set back since.
    const rows = await db.$queryRaw<{ id: string }[]>`
      SELECT id FROM bank_account
      WHERE status = 'PENDING' AND deleted_at IS NULL
        AND created_at NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz
        AND (validation_requested_at IS NULL
          OR validation_requested_at NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz)
      ORDER BY validation_requested_at NULLS FIRST LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  },
});
