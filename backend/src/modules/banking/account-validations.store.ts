import { addMs, msBetween } from '../../platform/clock/clock.ts';
import { selectRows, sql, type Db } from '../../platform/db/index.ts';
import { createLease } from '../../platform/lease/lease.ts';
import { endOfIstDay, startOfIstDay } from '../../platform/clock/ist.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { BankingDeps } from './banking.types.ts';

/**
 * The lease of one worker on the start of a validation, in ms. It is longer than the call can take.
 */
const startLeaseMs = 30_000;

const lease = createLease({
  table: 'bank_account',
  holderColumn: 'validation_holder_id',
  untilColumn: 'validation_lease_until',
});

/**
 * Acquires the start of an account's validation and stores the time of the request before it is
 * sent. Returns false while another worker has it.
 */
export const acquireValidationStart = (
  tx: Db,
  id: string,
  { holderId, at }: { readonly holderId: string; readonly at: Date },
): Promise<boolean> =>
  lease.acquire(tx, {
    row: sql`id = ${id}::uuid`,
    holderId,
    leaseMs: startLeaseMs,
    where: sql`status = 'PENDING' AND provider_validation_id IS NULL`,
    set: sql`validation_requested_at = ${at}::timestamptz`,
  });

/** Releases a start that sent no request, so that the next worker may start at once. */
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
export const markValidationQueried = async (db: Db, id: string, at: Date): Promise<void> => {
  await db.bankAccount.updateMany({
    where: { id, status: 'PENDING' },
    data: { validationRequestedAt: at },
  });
};

/**
 * Stores the provider's id of this attempt's validation, and releases the lease of its start. It
 * does not check the holder. The id is valid even if the worker's lease has expired, because every
 * start has the same reference.
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

/** Marks an account as not yet validated: the provider does not know the validation. */
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
 * Returns accounts with an open validation that was neither started nor queried for `quietMs`, the
 * longest untouched first. A time that lies ahead is of a clock that was set back since.
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
 * Counts the customer's validations that were requested between two moments, those of deleted
 * accounts included. The count is final only under the holding's lock.
 */
const countValidations = (
  tx: Db,
  userId: string,
  { from, until }: { readonly from: Date; readonly until: Date },
): Promise<number> =>
  tx.bankValidation.count({ where: { userId, requestedAt: { gte: from, lt: until } } });

/**
 * The maximum number of penny-drops of a customer on an IST day, since each costs money (contract:
 * limits > Rate limits).
 */
const maxValidations = 10;

/**
 * Inserts a penny-drop that a customer requests, in the transaction that has their holding locked,
 * so that concurrent requests count each other.
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
    metrics.countBound('bank_validations');
    const retryAfterSeconds = msBetween(requestedAt, until) / 1000;
    throw new AppError('VALIDATION_LIMIT', { retryAfterSeconds });
  }
  await tx.bankValidation.create({ data: { ...validation, requestedAt } });
};
