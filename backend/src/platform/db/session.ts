import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase } from 'pg';
import { sqlStateOf } from './errors.ts';

/**
 * The client writes and reads times as UTC without declaring it, and dates in ISO format. If a
 * server or database had another zone (such as Asia/Kolkata), all of them would shift. The roles
 * have the same settings (`migrate`), in case a pooler drops these.
 */
export const sessionOptions =
  '-c TimeZone=UTC -c DateStyle=ISO,MDY -c IntervalStyle=postgres ' +
  '-c default_transaction_isolation=read\\ committed';

/** Thrown for a session whose settings would change the times that are read and written. */
export class WrongSessionError extends Error {
  override readonly name = 'WrongSessionError';
}

interface SessionRow {
  readonly zone: string;
  readonly style: string;
}

const utc: ReadonlySet<string> = new Set(['UTC', 'Etc/UTC']);

/**
 * Throws if the session would read times in a zone other than UTC, or dates in a style other than
 * ISO.
 */
export const checkSession = async (client: Pick<ClientBase, 'query'>): Promise<void> => {
  const { rows } = await client.query<SessionRow>(
    `SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS style`,
  );
  const { zone = '', style = '' } = rows[0] ?? {};
  if (utc.has(zone) && style.startsWith('ISO')) return;
  throw new WrongSessionError(
    `a session of the database has TimeZone ${zone} and DateStyle ${style} instead of UTC and ` +
      'ISO, so something between drops what the connection asks for: `migrate` makes them ' +
      'settings of the role, or an administrator does, by ALTER ROLE dgs_app SET timezone = UTC',
  );
};

const silenceLimits = new AsyncLocalStorage<number>();

/**
 * Runs `work` with another limit, in milliseconds, of the wait for a statement. It is for
 * statements that are known to take long.
 */
export const withSilence = <T>(silenceMs: number, work: () => Promise<T>): Promise<T> =>
  silenceLimits.run(silenceMs, work);

const withBound = (config: unknown): unknown => {
  const bound = silenceLimits.getStore();
  const isConfig = typeof config === 'object' && config !== null && 'text' in config;
  return bound === undefined || !isConfig ? config : { ...config, query_timeout: bound };
};

/**
 * Returns the statement that begins a transaction and limits its wait for a lock, in one round
 * trip. It is for a pooler, whose sessions belong to no client.
 */
const withLockWait = (config: unknown, lockWaitMs: number): unknown => {
  const isBegin = typeof config === 'object' && config !== null && 'text' in config;
  if (!isBegin || config.text !== 'BEGIN') return config;
  return { ...config, text: `BEGIN; SET LOCAL lock_timeout = ${Math.ceil(lockWaitMs)}` };
};

/**
 * The beginning of the server's warning that it stopped waiting for a standby when a statement's
 * time was over, and committed only on itself. The server still reports success. A standby that
 * becomes the primary lacks the change.
 */
const unconfirmed = 'canceling wait for synchronous replication';

/** Thrown if it is not known whether the committed data outlives the server. */
class UnconfirmedCommitError extends Error {
  override readonly name = 'UnconfirmedCommitError';
}

/** The SQLSTATE of a server that only reads, which is a standby or has a full disk. */
const readOnlyState = '25006';

const isUnanswered = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout';

/**
 * Ends a connection. The driver cuts off a connection with a running statement, and closes any
 * other in order.
 */
const end = (client: ClientBase): void => {
  const { end: close } = client as { readonly end?: () => Promise<void> };
  void close?.call(client).catch(() => {});
};

/**
 * Watches the statements of a pool. A connection whose statement got no response is ended at once:
 * the driver only abandons the statement, and the next user of that connection would wait behind
 * it. A read-only connection is ended when it returns to the pool. A connection whose server
 * committed without its standby is ended too, and that statement fails. If `lockWaitMs` is given,
 * each transaction sets it as it begins.
 */
export const prepareSession = ({
  lockWaitMs,
}: { readonly lockWaitMs?: number | undefined } = {}) => {
  const unfit = new WeakSet<ClientBase>();
  const unsure = new WeakSet<ClientBase>();
  const onFailure = (client: ClientBase, error: unknown): void => {
    if (isUnanswered(error)) end(client);
    if (sqlStateOf(error) === readOnlyState) unfit.add(client);
  };
  const onNotice = (client: ClientBase, message = ''): void => {
    if (!message.startsWith(unconfirmed)) return;
    unsure.add(client);
    unfit.add(client);
  };
  const confirm = <T>(client: ClientBase, value: T): T => {
    if (unsure.delete(client)) {
      throw new UnconfirmedCommitError('Connection terminated: no standby has what was committed');
    }
    return value;
  };
  return {
    prepare: async (client: ClientBase): Promise<void> => {
      await checkSession(client);
      client.on('notice', ({ message }) => onNotice(client, message));
      const query: unknown = client.query.bind(client);
      Reflect.set(client, 'query', (config: unknown, ...others: unknown[]): unknown => {
        const result: unknown = Reflect.apply(query as () => unknown, client, [
          withBound(lockWaitMs === undefined ? config : withLockWait(config, lockWaitMs)),
          ...others,
        ]);
        if (!(result instanceof Promise)) return result;
        result.catch((error: unknown) => onFailure(client, error));
        return result.then((value: unknown) => confirm(client, value));
      });
    },
    release(client: ClientBase): void {
      if (unfit.has(client)) end(client);
    },
  };
};
