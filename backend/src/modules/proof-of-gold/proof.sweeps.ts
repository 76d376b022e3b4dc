import { addMs, type Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import { execute, sql, type Db, type Sql } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
// Not by the index, whose sweep runner the demo cannot load from its sources.
import { enqueue } from '../../platform/jobs/enqueue.ts';
import type { Purge, Sweep } from '../../platform/jobs/sweep.ts';
import { confirmAccounts } from './confirm-accounts.ts';
import { runJob } from './proof.jobs.ts';
import type { PublishDeps } from './publish-statement.ts';
import { insertRun, markLostRunsFailed, wasTriedLately } from './runs.store.ts';

/** Customers can fetch their proof of a statement for so long. The statement stays. */
const treeMs = 7 * 24 * 60 * 60_000;

/**
 * Selects the numbers of the runs whose tree is no longer needed: those of old statements, except
 * the newest one, and those that ended without a statement. The keys of a run are deleted first,
 * after which even we can't tell whose proof an issued proof is.
 */
const spentRuns = (now: Date): Sql => sql`
  SELECT r.number FROM proof_run r
  WHERE r.status IN ('REFUSED', 'FAILED') OR (r.status = 'PUBLISHED' AND r.salt_key IS NULL)
    OR (r.status = 'PUBLISHED' AND r.finished_at < ${addMs(now, -treeMs)}::timestamptz
      AND r.number <> (SELECT max(n.number) FROM proof_run n WHERE n.status = 'PUBLISHED'))`;

/** Creates the purges of trees that are seven days old. */
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
          WHERE salt_key IS NOT NULL AND number IN (${spentRuns(clock.now())})`,
      );
      return execute(
        db,
        sql`
          DELETE FROM proof_leaf WHERE ctid IN (
            SELECT l.ctid FROM proof_leaf l
            WHERE l.run_number IN (${spentRuns(clock.now())}) LIMIT ${limit}::int)`,
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
            WHERE c.run_number IN (${spentRuns(clock.now())}) LIMIT ${limit}::int)`,
      ),
  },
];

/**
 * Creates the sweeps of proofs: one queues the statement of an IST day once the day has begun, and
 * again an hour after it was refused, until it has one. The other asks the gold provider about the
 * accounts that changed, so that little is left to ask at midnight.
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
