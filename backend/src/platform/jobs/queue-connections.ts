import type { Pool } from 'pg';

type Connected = Parameters<Parameters<Pool['connect']>[0]>;

/**
 * Returns a function that calls `done` at most once. `done` is undefined if nothing was connected.
 */
const once = (done: Connected[2] | undefined): Connected[2] => {
  let isBack = false;
  return (destroy) => {
    if (isBack) return;
    isBack = true;
    done?.(destroy);
  };
};

/**
 * Makes a pool take each connection back only once, even if a callback releases it more often. If
 * the queue's library is stopped while its first LISTEN has no response, it releases the listening
 * connection twice: as it stops, and again when that statement fails. The pool throws on the second
 * release, and that error is uncaught, so the process would exit with 1 in the middle of its
 * shutdown.
 */
export const takeBackOnce = (pool: Pool): void => {
  const connect = pool.connect.bind(pool);
  const connectOnce = (callback?: (...connected: Connected) => void): unknown => {
    if (callback === undefined) return connect();
    return connect((error, client, done) => callback(error, client, once(done)));
  };
  Reflect.set(pool, 'connect', connectOnce);
};

const listening = /^(?:UN)?LISTEN /u;

/**
 * Keeps a pool from listening behind a pooler in transaction mode. It would receive no
 * notification, and a session that listened once would get a notification of every job forever.
 * Jobs are then found by polling.
 */
export const neverListens = (pool: Pool): void => {
  pool.on('connect', (client) => {
    const query: unknown = client.query.bind(client);
    Reflect.set(client, 'query', (...args: readonly unknown[]): unknown => {
      const isListening = typeof args[0] === 'string' && listening.test(args[0]);
      const sent = isListening ? ['SELECT 1', ...args.slice(1)] : args;
      return Reflect.apply(query as () => unknown, client, sent);
    });
  });
};
