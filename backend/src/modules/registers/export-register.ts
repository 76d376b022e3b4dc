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
  ComputedRegister,
} from './registers.types.ts';
import { csvRecord, headersOf, sheetCells } from './present-row.ts';

/** The maximum number of files that one process writes concurrently. Each uses a connection. */
const maxExports = 2;
const retryAfterSeconds = 30;
/** The number of rows that are in memory at a time. */
const batchRows = 1000;
/** The maximum number of rows of a sheet, with its header. */
const maxSheetRows = 1_048_576;
/** The time limits in ms of a whole file, and of a reader that does not read. */
const [maxExportMs, maxStallMs] = [15 * 60_000, 30_000];

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
  readonly register: Register | ComputedRegister;
  readonly query: Pick<RegisterQuery, 'from' | 'to' | 'status' | 'q'>;
  readonly format: FileFormat;
  readonly reader: RegisterReader;
  readonly context: Pick<RequestContext, 'requestId' | 'ip'>;
}

class ReaderStalled extends Error {
  override readonly name = 'ReaderStalled';
}

/** Writes the pieces to the reader. It waits while the reader is slow, so that memory is bounded. */
const send = async (
  sink: ReplySink,
  pieces: AsyncIterable<string | Uint8Array>,
  { ended, stallMs }: { readonly ended: AbortSignal; readonly stallMs: number },
): Promise<void> => {
  for await (const piece of pieces) {
    ended.throwIfAborted();
    if (sink.write(piece)) continue;
    const stalled = AbortSignal.timeout(stallMs);
    try {
      await once(sink, 'drain', { signal: AbortSignal.any([ended, stalled]) });
    } catch (error) {
      throw stalled.aborted ? new ReaderStalled() : error;
    }
  }
};

const fileNameOf = ({ register, query, format }: ExportRequest): string => {
  const period = [query.from, query.to].map((day) => day ?? 'open').join('_');
  return `${register.name}_${period}.${format}`;
};

/** Returns the pieces of the file of a computed register. */
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
    // The search text may be a person's name.
    ...(q !== undefined && { sealed: { after: { q } } }),
    requestId: context.requestId,
    ip: context.ip,
  });
};

/**
 * Creates the export of a register as a file, with all rows that match a filter (contract: accounting
 * > Files). The rows are written while they are read from one snapshot. The audit row is committed
 * before the first byte. An error while the file is written cuts the connection, so that a partial
 * file never looks complete.
 * @throws AppError BUSY while this process writes its maximum number of files
 * @throws AppError TOO_MANY_ROWS for a spreadsheet that would need a second sheet
 */
export const createExportRegister = (deps: ExportDeps) => {
  let running = 0;

  const write = async (
    request: ExportRequest,
    sink: ReplySink,
    disconnected: AbortSignal,
  ): Promise<void> => {
    const { register, query, format } = request;
    const { stallMs = maxStallMs, sheetRows = maxSheetRows } = deps.limits ?? {};
    const ended = AbortSignal.any([disconnected, AbortSignal.timeout(maxExportMs)]);
    if ('readRows' in register) {
      const rows = await register.readRows();
      await recordExport(deps, request);
      sink.setHeader('x-total-rows', String(rows.length));
      await send(sink, piecesOfRows(request, rows), { ended, stallMs });
      return;
    }
    let isRecorded = false;
    await deps.readSnapshot(async (snapshot) => {
      const filter = { ...windowOf(query), status: query.status, q: query.q };
      const [rows = '0'] = (await snapshot.first(totalsSql(register, filter))) ?? [];
      if (format === 'xlsx' && asInteger(rows ?? '0') >= sheetRows) {
        throw new AppError('TOO_MANY_ROWS', { field: 'format' });
      }
      // The read may be repeated on another server. It is still one file with one audit row.
      if (!isRecorded) await recordExport(deps, request);
      isRecorded = true;
      // By this number the reader can check that the file is complete.
      sink.setHeader('x-total-rows', rows ?? '0');
      await send(sink, piecesOf({ ...request, register }, filter, snapshot), { ended, stallMs });
    }, ended);
  };

  return (request: ExportRequest): Reply => ({
    status: 200,
    headers: {
      'content-type': fileTypes[request.format],
      'content-disposition': `attachment; filename="${fileNameOf(request)}"`,
    },
    async write(sink, disconnected) {
      if (running >= maxExports) {
        const message = 'Too many files are being written. Please try again in half a minute.';
        throw new AppError('BUSY', { message, retryAfterSeconds });
      }
      running += 1;
      try {
        await write(request, sink, disconnected);
      } catch (error) {
        // The reader has stopped to read, so there is no error of this service to report.
        if (!(error instanceof ReaderStalled)) throw error;
        deps.logger.info({ register: request.register.name }, 'a file was not read to its end');
        sink.destroy();
      } finally {
        running -= 1;
      }
    },
  });
};

/** Exports a register as a file. */
export type ExportRegister = ReturnType<typeof createExportRegister>;

/** Writes the header and the records of rows that are in memory. */
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

/** Writes the header, whose names need no quotes, and the records from the database. */
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
 * Writes batches of rows as the pieces of a spreadsheet. A text that looks like a formula stays a
 * text. The rows must fit into one sheet.
 */
async function* writeXlsx(
  name: string,
  columns: readonly Pick<Column, 'name' | 'kind'>[],
  batches: AsyncIterable<readonly RowValues[]>,
): AsyncGenerator<Uint8Array> {
  // The library is loaded for the first spreadsheet, since most processes never write one.
  const { writeXlsxStream } = await import('hucre/xlsx');
  yield* writeXlsxStream(cellsOf(columns, batches), {
    name,
    columns: headersOf(columns).map((header, index) => {
      const format = formats[columns[index]?.kind ?? 'text'];
      return { header, ...(format !== undefined && { numFmt: format }) };
    }),
    freezePane: { rows: 1 },
  });
}
