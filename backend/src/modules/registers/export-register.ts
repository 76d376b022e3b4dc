import { once } from 'node:events';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Db, ReadSnapshot, Snapshot } from '../../platform/db/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Reply, ReplySink, RequestContext } from '../../platform/http/index.ts';
import type { Auditor } from '../audit/index.ts';
import { windowOf, asInteger } from './period-figures.ts';
import { csvSql, rowsSql, totalsSql } from './register-sql.ts';
import type { FileFormat, RegisterQuery } from './registers.schemas.ts';
import type {
  Register,
  RegisterFilter,
  RegisterReader,
  Column,
  ColumnKind,
  RowValues,
  WorkedOutRegister,
} from './registers.types.ts';
import { csvRecord, headersOf, sheetCells } from './present-row.ts';

/** Files that one process writes at a time: each holds a connection and a snapshot. */
const exportsAtOnce = 2;
const retryAfterSeconds = 30;
/** Rows that are in memory at a time. */
const batchRows = 1000;
/** Rows of a spreadsheet's one sheet, its header included. */
const longestSheet = 1_048_576;
/** The whole of a file, and the longest that a reader may leave a piece of it untaken. */
const [longestMs, longestStallMs] = [15 * 60_000, 30_000];

/** The content type of each format. */
export const fileTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export interface ExportDeps {
  readonly db: Db;
  readonly readSnapshot: ReadSnapshot;
  readonly audit: Auditor;
  readonly logger: Logger;
  readonly limits?: { readonly stallMs?: number; readonly sheetRows?: number };
}

export interface ExportRequest {
  readonly register: Register | WorkedOutRegister;
  readonly query: Pick<RegisterQuery, 'from' | 'to' | 'status' | 'q'>;
  readonly format: FileFormat;
  readonly reader: RegisterReader;
  readonly context: Pick<RequestContext, 'requestId' | 'ip'>;
}

class ReaderStalled extends Error {
  override readonly name = 'ReaderStalled';
}

/** Takes the next piece only when the reader has taken the one before: memory stays as it is. */
const send = async (
  to: ReplySink,
  pieces: AsyncIterable<string | Uint8Array>,
  { ended, stallMs }: { readonly ended: AbortSignal; readonly stallMs: number },
): Promise<void> => {
  for await (const piece of pieces) {
    ended.throwIfAborted();
    if (to.write(piece)) continue;
    const stalled = AbortSignal.timeout(stallMs);
    try {
      await once(to, 'drain', { signal: AbortSignal.any([ended, stalled]) });
    } catch (error) {
      throw stalled.aborted ? new ReaderStalled() : error;
    }
  }
};

const fileNameOf = ({ register, query, format }: ExportRequest): string => {
  const period = [query.from, query.to].map((day) => day ?? 'open').join('_');
  return `${register.name}_${period}.${format}`;
};

/** Returns the pieces of a file whose rows were worked out already. */
const piecesOfRows = (
  { register: { name, columns }, format }: ExportRequest,
  rows: readonly RowValues[],
): AsyncIterable<string | Uint8Array> => {
  if (format === 'csv') return writeRecords(columns, rows);
  return writeXlsx(name, columns, inOneBatch(rows));
};

const piecesOf = (
  { register, format }: ExportRequest & { readonly register: Register },
  filter: RegisterFilter,
  snapshot: Snapshot,
): AsyncIterable<string | Uint8Array> => {
  const { name, columns } = register;
  if (format === 'csv') return writeCsv(columns, snapshot.csv(csvSql(register, filter)));
  return writeXlsx(name, columns, snapshot.batches(rowsSql(register, filter), batchRows));
};

/** Writes the audit row of a file. */
const recordExport = async (
  deps: Pick<ExportDeps, 'db' | 'audit'>,
  request: ExportRequest,
): Promise<void> => {
  const { register, query, format, reader, context } = request;
  const { from = null, to = null, status = null, q } = query;
  await deps.audit.record(deps.db, {
    action: 'accounting.export',
    actor: {
      api: 'accounting',
      id: reader.portalUserId,
      email: reader.email,
      role: reader.role,
    },
    target: { type: 'register', id: register.name },
    after: { format, from, to, status, isSearch: q !== undefined },
    // Whatever was typed: it may be somebody's name.
    ...(q !== undefined && { sealed: { after: { q } } }),
    requestId: context.requestId,
    ip: context.ip,
  });
};

/**
 * Creates the export of a register's whole filter as a file, written while it is read, from one
 * snapshot (contract: accounting > Files). Its audit row is there before the first byte. What fails
 * on the way cuts the connection, so that half a file never looks whole.
 * @throws AppError BUSY while this process writes as many files as it may, and TOO_MANY_ROWS for a
 * spreadsheet that would need a second sheet
 */
export const createExportRegister = (deps: ExportDeps) => {
  let running = 0;

  const write = async (request: ExportRequest, to: ReplySink, gone: AbortSignal): Promise<void> => {
    const { register, query, format } = request;
    const { stallMs = longestStallMs, sheetRows = longestSheet } = deps.limits ?? {};
    const ended = AbortSignal.any([gone, AbortSignal.timeout(longestMs)]);
    if ('readRows' in register) {
      const rows = await register.readRows();
      await recordExport(deps, request);
      to.setHeader('x-total-rows', String(rows.length));
      await send(to, piecesOfRows(request, rows), { ended, stallMs });
      return;
    }
    let isRecorded = false;
    await deps.readSnapshot(async (snapshot) => {
      const filter = { ...windowOf(query), status: query.status, q: query.q };
      const [rows = '0'] = (await snapshot.first(totalsSql(register, filter))) ?? [];
      if (format === 'xlsx' && asInteger(rows ?? '0') >= sheetRows) {
        throw new AppError('TOO_MANY_ROWS', { field: 'format' });
      }
      // A file that is read again from another server is the same one.
      if (!isRecorded) await recordExport(deps, request);
      isRecorded = true;
      // A file with as many records is whole.
      to.setHeader('x-total-rows', rows ?? '0');
      await send(to, piecesOf({ ...request, register }, filter, snapshot), { ended, stallMs });
    }, ended);
  };

  return (request: ExportRequest): Reply => ({
    status: 200,
    headers: {
      'content-type': fileTypes[request.format],
      'content-disposition': `attachment; filename="${fileNameOf(request)}"`,
    },
    async write(to, gone) {
      if (running >= exportsAtOnce) {
        const message = 'Too many files are being written. Please try again in half a minute.';
        throw new AppError('BUSY', { message, retryAfterSeconds });
      }
      running += 1;
      try {
        await write(request, to, gone);
      } catch (error) {
        // The reader has ended the download, so there is no error to fix or report.
        if (!(error instanceof ReaderStalled)) throw error;
        deps.logger.info({ register: request.register.name }, 'a file was not read to its end');
        to.destroy();
      } finally {
        running -= 1;
      }
    },
  });
};

/** Exports a register as a file. */
export type ExportRegister = ReturnType<typeof createExportRegister>;

/** Writes the header and records of rows that are there. */
async function* writeRecords(
  columns: readonly Pick<Column, 'name' | 'kind'>[],
  rows: readonly RowValues[],
): AsyncGenerator<string> {
  yield `${headersOf(columns).join(',')}\r\n`;
  for (const row of rows) yield csvRecord(columns, row);
}

async function* inOneBatch(rows: readonly RowValues[]): AsyncGenerator<readonly RowValues[]> {
  yield rows;
}

/** Puts the header, whose names need no quotes, before the records that the database writes. */
async function* writeCsv(
  columns: readonly Column[],
  records: AsyncIterable<Buffer>,
): AsyncGenerator<string | Buffer> {
  yield `${headersOf(columns).join(',')}\r\n`;
  yield* records;
}

const formats: Readonly<Partial<Record<ColumnKind, string>>> = {
  money: '0.00',
  grams: '0.0000####',
  count: '0',
};

async function* cellsOf(
  columns: readonly Pick<Column, 'name' | 'kind'>[],
  batches: AsyncIterable<readonly RowValues[]>,
): AsyncGenerator<(string | number | null)[]> {
  for await (const rows of batches) for (const row of rows) yield sheetCells(columns, row);
}

/**
 * Turns batches of rows into the pieces of a spreadsheet. Texts stay texts, whatever they begin
 * with. There is one sheet: the caller has checked that the rows fit.
 */
async function* writeXlsx(
  name: string,
  columns: readonly Pick<Column, 'name' | 'kind'>[],
  batches: AsyncIterable<readonly RowValues[]>,
): AsyncGenerator<Uint8Array> {
  // Loaded by the first spreadsheet: most processes never write one.
  const { writeXlsxStream } = await import('hucre/xlsx');
  yield* writeXlsxStream(cellsOf(columns, batches), {
    name,
    columns: headersOf(columns).map((header, at) => {
      const format = formats[columns[at]?.kind ?? 'text'];
      return { header, ...(format !== undefined && { numFmt: format }) };
    }),
    freezePane: { rows: 1 },
  });
}
