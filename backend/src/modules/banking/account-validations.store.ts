import { addMs, msBetween } from '../../platform/clock/clock.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { createLease } from '../../platform/lease/lease.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { BankingDeps } from './banking.types.ts';

/**
 * The time in ms for which a worker leases the start of a validation. It is longer than the call can
 * take.
 */
const startLeaseMs = 30_000;

const lease = createLease({
  table: 'bank_account',
  holderColumn: 'validation_holder_id',
  untilColumn: 'validation_lease_until',
});

/**
 * Acquires the start of an account's validation, and stores the time of the request before the request
 * is sent. Returns false while another worker holds the lease.
 */
export const acquireValidationStart = (
  tx: Db,
  id: string,
  { holderId, now }: { readonly holderId: string; readonly now: Date },
): Promise<boolean> =>
  lease.acquire(tx, {
    row: sql`id = ${id}::uuid`,
    holderId,
    leaseMs: startLeaseMs,
    where: sql`status = 'PENDING' AND provider_validation_id IS NULL`,
    set: sql`validation_requested_at = ${now}::timestamptz`,
  });

/** Releases the start of a validation that was not requested, so that the next worker may start it. */
export const releaseValidationStart = (db: Db, id: string, holderId: string): Promise<boolean> =>
  lease.release(db, {
    row: sql`id = ${id}::uuid`,
    holderId,
    where: sql`status = 'PENDING' AND provider_validation_id IS NULL`,
    set: sql`validation_requested_at = NULL`,
  });

/**
 * Stores the time at which the provider was last queried about an open validation, which moves the
 * account to the end of the list of accounts to poll.
 */
export const markValidationQueried = async (db: Db, id: string, now: Date): Promise<void> => {
  await db.bankAccount.updateMany({
    where: { id, status: 'PENDING' },
    data: { validationRequestedAt: now },
  });
};

/**
 * Stores the provider's id of an attempt's validation, and ends the lease of the start. Does not check
 * the lease's holder, because the id is valid even if the worker's lease has expired.
 */
export const markValidationStarted = async (
  db: Db,
  id: string,
  { attempt, validationId }: { readonly attempt: number; readonly validationId: string },
): Promise<void> => {
  await db.bankAccount.updateMany({
    where: { id, status: 'PENDING', validationAttempt: attempt, providerValidationId: null },
    data: {
      providerValidationId: validationId,
      validationHolderId: null,
      validationLeaseUntil: null,
    },
  });
};

/** Removes the id of a validation that the provider does not know, so that it is started again. */
export const markValidationUnstarted = async (
  db: Db,
  id: string,
  providerValidationId: string,
): Promise<void> => {
  await db.bankAccount.updateMany({
    where: { id, status: 'PENDING', providerValidationId },
    data: { providerValidationId: null, validationRequestedAt: null },
  });
};

/**
 * Returns the ids of accounts with an open validation that was neither started nor queried for
 * `quietMs`. The least recently handled account is first. A time after `now` was written before the
 * clock was set back, so it counts as long ago.
 */
export const listAccountsToPoll = async (
  db: Db,
  { now, quietMs, limit }: { now: Date; quietMs: number; limit: number },
): Promise<string[]> => {
  const quietSince = addMs(now, -quietMs);
  const rows = await selectRows<{ id: string }>(
    db,
    sql`
      SELECT id FROM bank_account
      WHERE status = 'PENDING' AND deleted_at IS NULL
        AND created_at NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz
        AND (provider_validation_id IS NOT NULL OR ${lease.isFree()})
        AND (validation_requested_at IS NULL
          OR validation_requested_at NOT BETWEEN ${quietSince}::timestamptz AND ${now}::timestamptz)
      ORDER BY validation_requested_at NULLS FIRST LIMIT ${limit}`,
  );
  return rows.map(({ id }) => id);
};

/**
 * Counts the validations that a customer has requested in a period, including those of deleted
 * accounts. The caller has locked the customer's holding, so the count includes concurrent requests.
 */
const countValidations = (
  tx: Db,
  userId: string,
  { from, until }: { readonly from: Date; readonly until: Date },
): Promise<number> =>
  tx.bankValidation.count({ where: { userId, requestedAt: { gte: from, lt: until } } });

/**
 * The maximum number of penny-drops of a customer on an IST day. Each penny-drop costs money (contract:
 * limits > Rate limits).
 */
const maxValidations = 10;

/**
 * Inserts a validation that a customer requests, in the transaction that has locked the customer's
 * holding.
 * @throws AppError VALIDATION_LIMIT
 */
export const insertValidation = async (
  { clock, metrics }: Pick<BankingDeps, 'clock' | 'metrics'>,
  tx: Db,
  validation: {
    readonly bankAccountId: string;
    readonly attempt: number;
    readonly userId: string;
  },
): Promise<void> => {
  const requestedAt = clock.now();
  const from = startOfIstDay(requestedAt);
  const until = endOfIstDay(requestedAt);
  if ((await countValidations(tx, validation.userId, { from, until })) >= maxValidations) {
    metrics.countBoundReached('bank_validations');
    const retryAfterSeconds = msBetween(requestedAt, until) / 1000;
    throw new AppError('VALIDATION_LIMIT', { retryAfterSeconds });
  }
  await tx.bankValidation.create({ data: { ...validation, requestedAt } });
};
