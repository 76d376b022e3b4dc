import { NoTurnError } from '../concurrency/turns.ts';

interface DriverCause {
  readonly originalCode?: unknown;
  readonly constraint?: unknown;
  readonly kind?: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const causeOf = (error: unknown): DriverCause => {
  if (!isRecord(error)) return {};
  const meta = error['meta'];
  const adapterError = isRecord(meta) ? meta['driverAdapterError'] : undefined;
  const cause = isRecord(adapterError) ? adapterError['cause'] : error['cause'];
  return isRecord(cause) ? cause : {};
};

/**
 * Returns the SQLSTATE behind an error of the client or the driver, such as `23505`, or undefined
 * if there is none.
 */
export const sqlStateOf = (error: unknown): string | undefined => {
  const isDrivers = isRecord(error) && typeof error['severity'] === 'string';
  if (isDrivers && typeof error['code'] === 'string') return error['code'];
  const { originalCode } = causeOf(error);
  return typeof originalCode === 'string' ? originalCode : undefined;
};

const prismaCode = (error: unknown): unknown => (isRecord(error) ? error['code'] : undefined);

/** Returns true when a rerun of the transaction may succeed: serialization failure or deadlock. */
export const isTransient = (error: unknown): boolean => {
  const state = sqlStateOf(error);
  return prismaCode(error) === 'P2034' || state === '40001' || state === '40P01';
};

/** Returns true if the write of a row was refused because its customer is deleted (migrations). */
export const isForDeletedCustomer = (error: unknown): boolean => sqlStateOf(error) === 'DG001';

/**
 * Returns true for a unique violation. `constraint` narrows it to a constraint's or index's name,
 * or to a column's, as the driver reports either.
 */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean => {
  if (prismaCode(error) !== 'P2002' && sqlStateOf(error) !== '23505') return false;
  if (constraint === undefined) return true;
  const text = isRecord(error) ? String(error['message']) : '';
  return JSON.stringify(causeOf(error)).includes(constraint) || text.includes(constraint);
};

const outOfReachKinds: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'TooManyConnections',
  'SocketTimeout',
]);
const outOfReachCodes: ReadonlySet<unknown> = new Set([
  'P1001',
  'P2024',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);
/**
 * Matches the SQLSTATE of a connection exception (08), of a server that shuts down, starts up or
 * lacks resources (57P, 53), and of a server that only reads (25006), which is a standby or has a
 * full disk.
 */
const outOfReachState = /^(53...|08...|57P0[123]|25006)$/u;
/** Matches messages of the driver and the client, for errors without a code. */
const outOfReachWords = new RegExp(
  [
    'Connection terminated',
    'is not queryable',
    'Query read timeout',
    'a session of the database has',
    'timeout exceeded when trying to connect',
    'Unable to start a transaction',
  ].join('|'),
  'u',
);

/** The SQLSTATEs of a lock that was not acquired in time and of a statement that took too long. */
const busyStates: ReadonlySet<string | undefined> = new Set(['55P03', '57014']);

/**
 * Returns true if the database was busy for too long: a row is locked elsewhere, a statement or
 * transaction exceeded its time, or all turns of a customer are taken.
 */
export const isDatabaseBusy = (error: unknown): boolean =>
  error instanceof NoTurnError ||
  busyStates.has(sqlStateOf(error)) ||
  prismaCode(error) === 'P2028';

/** Returns true when the database was unreachable, or had no free connection in time. */
export const isDatabaseOutOfReach = (error: unknown): boolean =>
  outOfReachKinds.has(causeOf(error).kind) ||
  outOfReachCodes.has(prismaCode(error)) ||
  outOfReachState.test(sqlStateOf(error) ?? '') ||
  (error instanceof Error && outOfReachWords.test(error.message));
