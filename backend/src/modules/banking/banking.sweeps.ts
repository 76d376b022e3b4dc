import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { createCallSweep } from '../../platform/collaborator-call/create-call-sweep.ts';
import { execute, sql, type Db } from '../../platform/db/index.ts';
import { sweepRows, type Purge, type Sweep } from '../../platform/jobs/sweep.ts';
import { describeError } from '../../platform/observability/index.ts';
import { listAccountsToPoll, markValidationQueried } from './account-validations.store.ts';
import { rehashNumber } from './bank-account-sealing.ts';
import { listOutdatedNumbers, updateNumberHash } from './bank-accounts.store.ts';
import type { BankingDeps } from './banking.types.ts';
import { validateAccount } from './validate-account.ts';

/** The minimum time in ms between two queries of an open validation, over all workers. */
const quietMs = 45_000;

const batchSize = 100;

/** Creates the sweep that resumes validations whose event or start was lost. */
export const createValidationSweep = (deps: BankingDeps): Sweep => {
  const { db, clock, logger } = deps;
  return createCallSweep({
    name: 'banking-poll-open-validations',
    flow: 'validation',
    logger,
    list: () => listAccountsToPoll(db, { now: clock.now(), quietMs, limit: batchSize }),
    call: (bankAccountId) => validateAccount(deps, bankAccountId),
    postpone: (bankAccountId) => markValidationQueried(db, bankAccountId, clock.now()),
    fieldsOf: (bankAccountId) => ({ bankAccountId }),
  });
};

/** Creates the sweep that hashes account numbers again after the blind index has a new first key. */
export const createRehashingSweep = (deps: BankingDeps): Sweep => ({
  name: 'banking-rehash-accounts',
  async run(signal) {
    const { db, vault, blindIndex, logger } = deps;
    const numberHashKey = blindIndex.keyId;
    await sweepRows({
      rows: (after?: { readonly id: string }) =>
        listOutdatedNumbers(db, numberHashKey, { after: after?.id, limit: batchSize }),
      signal,
      handle: async (account) => {
        const sealer = (await vault.forUsers(db, [account.userId])).get(account.userId);
        // The number of a customer whose key is destroyed can't be opened, so its hash stays.
        const newHash =
          sealer === undefined ? {} : { numberHash: rehashNumber(account, { sealer, blindIndex }) };
        await updateNumberHash(db, account.id, { ...newHash, numberHashKey });
        return true;
      },
      onError: (error, { id }) =>
        logger.warn(
          { bankAccountId: id, err: describeError(error) },
          'an account number was not rehashed',
        ),
    });
  },
});

/**
 * The time in ms for which validations are kept. The daily limit needs one day, and the other days serve
 * to investigate abuse.
 */
const retentionMs = 30 * 24 * 60 * 60_000;

/** Creates the purge of validations that are older than the retention time. */
export const createValidationPurge = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): Purge => ({
  name: 'banking-purge-validations',
  deleteBatch: (limit) =>
    execute(
      db,
      sql`
        DELETE FROM bank_validation WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM bank_validation
          WHERE requested_at < ${addMs(clock.now(), -retentionMs)}::timestamptz
          ORDER BY requested_at LIMIT ${limit}::int))`,
    ),
});
