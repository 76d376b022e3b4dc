import { once } from 'node:events';
import { z } from 'zod';
import { gramsToDatabase } from '../../money/index.ts';
import type { Db, ReadSnapshot } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  ok,
  pageQuery,
  type Access,
  type ReplySink,
  type Route,
} from '../../platform/http/index.ts';
import type { Auditor } from '../audit/index.ts';
import { presentPublished, presentRun, publishedPage, runPage } from './proof.schemas.ts';
import { listRuns } from './runs.store.ts';
import { findBySequence, findOwnPlace, listStatements } from './statements.store.ts';
import { readLeaves } from './tree.store.ts';
import { commitmentOf, saltOf } from './tree.ts';

/** The reader of an export, as recorded in the audit row. */
interface Reader {
  readonly portalUserId: string;
  readonly email: string;
  readonly role: string;
}

interface AccountingDeps<R extends Reader> {
  readonly db: Db;
  readonly readSnapshot: ReadSnapshot;
  readonly audit: Auditor;
  /** Admits readers of reconciliation by `read`, and readers of files by `file`. */
  readonly access: { readonly read: Access<R>; readonly file: Access<R> };
}

const tags = ['reconciliation'];
const csv = 'text/csv; charset=utf-8; header=present';
const sequenceParams = z.object({
  sequence: z
    .string()
    .regex(/^[1-9]\d{0,8}$/u)
    .pipe(z.coerce.number())
    .meta({ type: 'integer', pattern: undefined }),
});
/** The time limit in ms of a file. */
const maxFileMs = 15 * 60_000;
/** An id of no customer, with which `findOwnPlace` returns only the run of a statement. */
const noCustomer = '00000000-0000-0000-0000-000000000000';

interface Exported {
  readonly runNumber: number;
  readonly saltKey: Uint8Array;
}

/** Writes the leaves in the order of the tree. Each record has a commitment and its grams. */
const writeLeafFile = (
  readSnapshot: ReadSnapshot,
  { runNumber, saltKey }: Exported,
  sink: ReplySink,
  disconnected: AbortSignal,
): Promise<void> => {
  const ended = AbortSignal.any([disconnected, AbortSignal.timeout(maxFileMs)]);
  return readSnapshot(async (snapshot) => {
    sink.write('commitment,grams\r\n');
    for await (const leaves of readLeaves(snapshot, runNumber)) {
      ended.throwIfAborted();
      const records = leaves.map(({ userId, grams }) => {
        const commitment = commitmentOf(saltOf(saltKey, userId), userId).toString('base64url');
        return `${commitment},${gramsToDatabase(grams as Parameters<typeof gramsToDatabase>[0])}\r\n`;
      });
      if (!sink.write(records.join(''))) await once(sink, 'drain', { signal: ended });
    }
  }, ended);
};

/** Declares the statements for accounting, and the export from which an auditor rebuilds a tree. */
export const createProofAccountingRoutes = <R extends Reader>(deps: AccountingDeps<R>): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/gold/proof-of-gold',
    summary: 'Signed statements of proof of gold, newest first',
    tags,
    access: deps.access.read,
    query: pageQuery,
    responses: { 200: publishedPage },
    handler: async ({ query }) => {
      const { rows, total } = await listStatements(deps.db, query);
      return ok({ items: rows.map(presentPublished), total, ...query });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/proof-of-gold/runs',
    summary: 'Runs that publish statements, with the reason if nothing was signed',
    tags,
    access: deps.access.read,
    query: pageQuery,
    responses: { 200: runPage },
    handler: async ({ query }) => {
      const { rows, total } = await listRuns(deps.db, query);
      return ok({ items: rows.map(presentRun), total, ...query });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/gold/proof-of-gold/:sequence/leaves',
    summary: 'Every leaf of a statement without names, to rebuild its tree. Kept for seven days',
    tags,
    access: deps.access.file,
    params: sequenceParams,
    responses: { 200: null },
    produces: [csv],
    handler: async ({ params: { sequence }, principal, context }) => {
      const published = await findBySequence(deps.db, sequence);
      const tree = published && (await findOwnPlace(deps.db, published.runId, noCustomer));
      const saltKey = tree?.saltKey ?? null;
      if (published === undefined || tree === undefined || saltKey === null) {
        throw new AppError('NOT_FOUND');
      }
      const { runNumber } = tree;
      const { portalUserId: id, email, role } = principal;
      await deps.audit.record(deps.db, {
        action: 'accounting.export',
        actor: { api: 'accounting', id, email, role },
        target: { type: 'proof_statement', id: String(sequence) },
        after: { format: 'csv', accounts: published.accounts },
        requestId: context.requestId,
        ip: context.ip,
      });
      return {
        status: 200,
        headers: {
          'content-type': csv,
          'content-disposition': `attachment; filename="proof-of-gold_${sequence}.csv"`,
          'x-total-rows': String(published.accounts),
        },
        write: (sink, disconnected) =>
          writeLeafFile(deps.readSnapshot, { runNumber, saltKey }, sink, disconnected),
      };
    },
  }),
];
