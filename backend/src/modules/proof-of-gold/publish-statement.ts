import { gramsToDatabase, subtractGrams } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import {
  lockText,
  type Db,
  type InTransaction,
  type ReadSnapshot,
} from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { compareBooks, type Balance, type Compared } from './compare-books.ts';
import { confirmAccounts, type ConfirmDeps } from './confirm-accounts.ts';
import { readCertificate } from './certificate.ts';
import type { RefusalDetail, RefusalReason } from './proof.types.ts';
import { claimRun, lockRun, markRunEnded, markRunTouched, type Run } from './runs.store.ts';
import type { SigningKey } from './signing-keys.ts';
import { signStatement } from './statement.ts';
import { findStatement, insertStatement } from './statements.store.ts';
import { buildTree, deleteTree, insertLeaves, type TreeOf } from './tree.store.ts';
import { hashOf, sumOf } from './tree.ts';

export interface PublishDeps extends ConfirmDeps {
  readonly inTransaction: InTransaction;
  readonly readSnapshot: ReadSnapshot;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly keys: readonly SigningKey[];
}

/** The time limit in ms of a snapshot. To sort and insert a million leaves takes some seconds. */
const snapshotMs = 10 * 60_000;
/** The maximum number of snapshots of a run. A trade during the queries makes a snapshot differ. */
const maxSnapshots = 5;

/** Thrown if another attempt has claimed the run. That attempt continues it. */
class RunTaken extends Error {
  override readonly name = 'RunTaken';
}

interface Attempt {
  readonly run: Run;
  readonly tree: TreeOf;
  readonly signal: AbortSignal;
}

type ComparedAt = Compared & { readonly moment: Date };

/**
 * Compares the books and, if they agree, copies the holdings into leaves. Both read one snapshot of
 * the database, so that the leaves are exactly the compared holdings.
 */
const takeSnapshot = (
  deps: PublishDeps,
  { run, tree }: Attempt,
  since: Date,
): Promise<ComparedAt> =>
  deps.inTransaction(
    async (tx) => {
      if (!(await lockRun(tx, run.id, tree.saltKey))) throw new RunTaken();
      const moment = deps.clock.now();
      const compared = await compareBooks(tx, { provider: deps.goldProvider.code, since });
      if ('balance' in compared) {
        await deleteTree(tx, run.number);
        await insertLeaves(tx, tree);
      }
      return { ...compared, moment };
    },
    { isolation: 'RepeatableRead', timeoutMs: snapshotMs },
  );

interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: RefusalDetail;
}

/** Queries and compares the accounts, and repeats this while a difference may be due to new trades. */
const findBalance = async (
  deps: PublishDeps,
  attempt: Attempt,
): Promise<{ readonly balance: Balance; readonly moment: Date } | Refusal> => {
  const { run, signal } = attempt;
  if (deps.keys.length === 0) {
    return { reason: 'NO_SIGNING_KEY', detail: { note: 'PROOF_SIGNING_KEYS is not set.' } };
  }
  for (let round = 1; ; round += 1) {
    const since = deps.clock.now();
    const onPage = (): Promise<void> => markRunTouched(deps.db, run.id);
    const unconfirmed = await confirmAccounts(deps, {
      signal,
      isForStatement: round === 1,
      onPage,
    });
    if (unconfirmed !== undefined) {
      return { reason: unconfirmed.reason, detail: { note: unconfirmed.note } };
    }
    const { moment, ...compared } = await takeSnapshot(deps, attempt, since);
    if ('balance' in compared) return { balance: compared.balance, moment };
    if (!compared.mayAgreeAgain || round === maxSnapshots) {
      return { reason: 'BOOKS_DIFFER', detail: compared.detail };
    }
  }
};

/** Signs a statement and publishes it in one transaction. Returns the statement's number. */
const publish = (
  deps: PublishDeps,
  { run, tree }: Attempt,
  { balance, moment, root }: { balance: Balance; moment: Date; root: Buffer },
): Promise<number> =>
  deps.inTransaction(async (tx: Db) => {
    await lockText(tx, 'proof-of-gold');
    if (!(await lockRun(tx, run.id, tree.saltKey))) throw new RunTaken();
    const before = await findStatement(tx);
    const sequence = (before?.sequence ?? 0) + 1;
    const { accounts, liabilities, confirmed, house, open, confirmedAccounts } = balance;
    invariant(sumOf(root) === liabilities, 'the tree adds up to the holdings');
    const signed = signStatement(
      {
        format: 'proof-of-gold/1',
        id: run.id,
        sequence,
        day: run.day,
        moment: moment.toISOString(),
        accounts,
        root: hashOf(root).toString('base64url'),
        liabilities: gramsToDatabase(liabilities),
        provider: deps.goldProvider.code,
        confirmed: gramsToDatabase(confirmed),
        difference: gramsToDatabase(subtractGrams(confirmed, liabilities)),
        house: gramsToDatabase(house),
        open: gramsToDatabase(open),
        confirmedAccounts,
        oldestConfirmation: balance.oldestConfirmation?.toISOString() ?? null,
        certificate: await readCertificate(tx, moment),
        previous: before?.hash.toString('base64url') ?? null,
      },
      deps.keys,
    );
    const publishedAt = deps.clock.now();
    const { id: runId, day } = run;
    await insertStatement(tx, { ...signed, sequence, runId, accounts, publishedAt }, day);
    await markRunEnded(tx, run.id, { status: 'PUBLISHED' }, publishedAt);
    return sequence;
  });

/**
 * Makes the statement of a run. It queries the provider, compares the books, builds the tree, signs
 * the statement and publishes it. If the books don't agree, it signs nothing and stores the reason. An
 * attempt that fails has published nothing, and the next attempt starts from the beginning.
 */
export const makeStatement = async (
  deps: PublishDeps,
  runId: string,
  signal: AbortSignal,
): Promise<void> => {
  const { db, clock, logger } = deps;
  const saltKey = deps.random.bytes(32);
  const run = await claimRun(db, runId, saltKey, clock.now());
  if (run === undefined) return;
  const tree: TreeOf = { runId, runNumber: run.number, saltKey };
  const attempt = { run, tree, signal };
  try {
    const found = await findBalance(deps, attempt);
    if ('reason' in found) {
      await markRunEnded(db, runId, { status: 'REFUSED', ...found }, clock.now());
      logger.error({ runId, reason: found.reason }, 'no statement of proof of gold was signed');
      return;
    }
    const onBatch = (): Promise<void> => markRunTouched(db, runId);
    const root = await buildTree(deps, tree, { signal, onBatch });
    const sequence = await publish(deps, attempt, { ...found, root });
    logger.info({ runId, sequence }, 'a statement of proof of gold was published');
  } catch (error) {
    if (!(error instanceof RunTaken)) throw error;
  }
};
