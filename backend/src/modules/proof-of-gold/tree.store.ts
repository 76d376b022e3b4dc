import {
  execute,
  selectRows,
  sql,
  type Db,
  type ReadSnapshot,
  type Snapshot,
} from '../../platform/db/index.ts';
import { gramsFromDatabase } from '../../money/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import {
  chunksOnPath,
  commitmentOf,
  createTreeBuilder,
  leafOf,
  orderKeyOf,
  pathOf,
  saltOf,
  type Chunk,
} from './tree.ts';

/* The tables are `proof_leaf`, with the customers' leaves, and `proof_chunk`, with the nodes. */

/** The run of a tree, with the key of its salts. */
export interface TreeOf {
  readonly runId: string;
  readonly runNumber: number;
  readonly saltKey: Uint8Array;
}

/** Deletes the tree of a run, which an earlier attempt may have left. */
export const deleteTree = async (db: Db, runNumber: number): Promise<void> => {
  await execute(db, sql`DELETE FROM proof_leaf WHERE run_number = ${runNumber}::int`);
  await execute(db, sql`DELETE FROM proof_chunk WHERE run_number = ${runNumber}::int`);
};

/**
 * Copies every holding into the leaves of a run. The order of the leaves depends on the run's key, so
 * it differs in each run and can't be predicted.
 */
export const insertLeaves = async (
  tx: Db,
  { runNumber, saltKey }: Pick<TreeOf, 'runNumber' | 'saltKey'>,
): Promise<void> => {
  await execute(
    tx,
    sql`
      INSERT INTO proof_leaf (run_number, user_id, position, grams)
      SELECT ${runNumber}::int, user_id,
        row_number() OVER (
          ORDER BY sha256(${orderKeyOf(saltKey)}::bytea || uuid_send(user_id))) - 1,
        balance
      FROM holding WHERE balance > 0`,
  );
};

const batchRows = 4096;
const batchChunks = 32;

const insertChunks = async (db: Db, runNumber: number, chunks: readonly Chunk[]): Promise<void> => {
  if (chunks.length === 0) return;
  await db.proofChunk.createMany({
    data: chunks.map(({ nodes, ...chunk }) => ({
      runNumber,
      ...chunk,
      nodes: new Uint8Array(nodes),
    })),
  });
};

interface LeafRow {
  readonly userId: string;
  readonly grams: bigint;
}

/** Reads the leaves of a run in batches, in the order of the tree. */
export async function* readLeaves(
  snapshot: Pick<Snapshot, 'batches'>,
  runNumber: number,
): AsyncGenerator<readonly LeafRow[]> {
  const query = sql`
    SELECT user_id, grams FROM proof_leaf WHERE run_number = ${runNumber}::int ORDER BY position`;
  for await (const rows of snapshot.batches(query, batchRows)) {
    yield rows.map(([userId, grams]) => {
      invariant(typeof userId === 'string' && typeof grams === 'string', 'a leaf has its columns');
      return { userId, grams: gramsFromDatabase(grams) };
    });
  }
}

/** Hashes the leaves of a run, stores the nodes of the tree, and returns the root. */
export const buildTree = async (
  { db, readSnapshot }: { readonly db: Db; readonly readSnapshot: ReadSnapshot },
  { runId, runNumber, saltKey }: TreeOf,
  { signal, onBatch }: { readonly signal: AbortSignal; readonly onBatch: () => Promise<void> },
): Promise<Buffer> =>
  readSnapshot(async (snapshot) => {
    let pending: Chunk[] = [];
    const builder = createTreeBuilder((chunk) => pending.push(chunk));
    const storePending = async (): Promise<void> => {
      const chunks = pending;
      pending = [];
      await insertChunks(db, runNumber, chunks);
      await onBatch();
    };
    for await (const leaves of readLeaves(snapshot, runNumber)) {
      signal.throwIfAborted();
      for (const { userId, grams } of leaves) {
        const commitment = commitmentOf(saltOf(saltKey, userId), userId);
        builder.add(leafOf(runId, commitment, grams));
      }
      if (pending.length >= batchChunks) await storePending();
    }
    const root = builder.finish();
    await storePending();
    return root;
  }, signal);

interface ChunkRow {
  readonly level: number;
  readonly chunk: number;
  readonly nodes: Uint8Array;
}

/** Reads the path from a leaf to the root. Of a million leaves, it reads three chunks of 12 KB. */
export const readPath = async (
  db: Db,
  runNumber: number,
  { position, accounts }: { readonly position: number; readonly accounts: number },
): Promise<Buffer[]> => {
  const wanted = chunksOnPath(position, accounts);
  if (wanted.length === 0) return [];
  const rows = await selectRows<ChunkRow>(
    db,
    sql`
      SELECT c.level, c.chunk, c.nodes
      FROM unnest(${wanted.map(({ level }) => level)}::int[],
        ${wanted.map(({ chunk }) => chunk)}::int[]) AS wanted (level, chunk)
      JOIN proof_chunk c ON c.run_number = ${runNumber}::int AND c.level = wanted.level
        AND c.chunk = wanted.chunk`,
  );
  return pathOf(position, accounts, ({ level, chunk }) => {
    const row = rows.find((found) => found.level === level && found.chunk === chunk);
    invariant(row, 'a published tree is complete');
    return Buffer.from(row.nodes);
  });
};
