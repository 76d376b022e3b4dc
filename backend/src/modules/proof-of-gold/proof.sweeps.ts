import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { execute, sql, type Db, type Sql } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
// Not imported by the index, since its sweep runner cannot be loaded from source, as the demo does.
import { enqueue } from '../../platform/jobs/enqueue.ts';
import type { Purge, Sweep } from '../../platform/jobs/sweep.ts';
import { confirmAccounts } from './confirm-accounts.ts';
import { runJob } from './proof.jobs.ts';
import type { PublishDeps } from './publish-statement.ts';
import { insertRun, markLostRunsFailed, wasTriedLately } from './runs.store.ts';

/** The time in ms for which customers can fetch their proof. The statement itself is kept. */
const treeMs = 7 * 24 * 60 * 60_000;

/**
 * Selects the numbers of the runs whose tree is no longer needed. These are runs that ended without a
 * statement, and runs of old statements, except the newest statement.
 */
const obsoleteRuns = (now: Date): Sql => sql`
  SELECT r.number FROM proof_run r
  WHERE r.status IN ('REFUSED', 'FAILED') OR (r.status = 'PUBLISHED' AND r.salt_key IS NULL)
    OR (r.status = 'PUBLISHED' AND r.finished_at < ${addMs(now, -treeMs)}::timestamptz
      AND r.number <> (SELECT max(n.number) FROM proof_run n WHERE n.status = 'PUBLISHED'))`;

/**
 * Creates the purges of trees that are seven days old. The salt key of a run is deleted first. Without
 * it, not even this service can match a proof with its customer.
 */
export const createProofPurges = ({
  db,
  clock,
}: {
  readonly db: Db;
  readonly clock: Clock;
}): readonly Purge[] => [
  {
    name: 'proof-of-gold-purge-leaves',
    async deleteBatch(limit) {
      await execute(
        db,
        sql`
          UPDATE proof_run SET salt_key = NULL
          WHERE salt_key IS NOT NULL AND number IN (${obsoleteRuns(clock.now())})`,
      );
      return execute(
        db,
        sql`
          DELETE FROM proof_leaf WHERE ctid IN (
            SELECT l.ctid FROM proof_leaf l
            WHERE l.run_number IN (${obsoleteRuns(clock.now())}) LIMIT ${limit}::int)`,
      );
    },
  },
  {
    name: 'proof-of-gold-purge-chunks',
    deleteBatch: (limit) =>
      execute(
        db,
        sql`
          DELETE FROM proof_chunk WHERE ctid IN (
            SELECT c.ctid FROM proof_chunk c
            WHERE c.run_number IN (${obsoleteRuns(clock.now())}) LIMIT ${limit}::int)`,
      ),
  },
];

/**
 * Creates the sweeps of proofs. The first queues the run of an IST day when the day begins, and again
 * an hour after a refusal. The second queries the gold provider for changed accounts, so that few
 * queries remain for the statement at midnight.
 */
export const createProofSweeps = (
  deps: PublishDeps & { readonly random: Pick<Random, 'uuid'> },
  { confirmEveryMs }: { readonly confirmEveryMs: number },
): readonly Sweep[] => {
  const { db, inTransaction, clock, random } = deps;
  return [
    {
      name: 'proof-of-gold-schedule',
      async run() {
        await markLostRunsFailed(db, clock.now());
        const day = istDate(clock.now());
        await inTransaction(async (tx) => {
          if (await wasTriedLately(tx, day)) return;
          const run = { id: random.uuid(), day, requestedBy: null };
          if (await insertRun(tx, run, clock.now())) await enqueue(tx, runJob(run.id));
        });
      },
    },
    {
      name: 'proof-of-gold-confirm',
      everyMs: confirmEveryMs,
      async run(signal) {
        await confirmAccounts(deps, { signal });
      },
    },
  ];
};
