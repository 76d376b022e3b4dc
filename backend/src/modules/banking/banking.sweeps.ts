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

/** The time in ms in which an open validation is queried only once, by any worker. */
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

/** Creates the sweep that hashes account numbers with a new first key of the blind index. */
export const createRehashing = (deps: BankingDeps): Sweep => ({
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
        // The number of a customer whose key is destroyed cannot be opened.
        const fresh =
          sealer === undefined ? {} : { numberHash: rehashNumber(account, { sealer, blindIndex }) };
        await updateNumberHash(db, account.id, { ...fresh, numberHashKey });
        return true;
      },
      onError: (error, { id }) =>
        logger.warn({ bankAccountId: id, err: describeError(error) }, 'not rehashed'),
    });
  },
});

/**
 * The time in ms for which validations are kept. The limit needs one day, and the rest serves to
 * investigate abuse.
 */
const keptMs = 30 * 24 * 60 * 60_000;

/** Deletes the record of penny-drops that no limit counts any more. */
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
          WHERE requested_at < ${addMs(clock.now(), -keptMs)}::timestamptz
          ORDER BY requested_at LIMIT ${limit}::int))`,
    ),
});
