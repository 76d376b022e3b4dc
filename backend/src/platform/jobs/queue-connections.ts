import type { Pool } from 'pg';

type Connected = Parameters<Parameters<Pool['connect']>[0]>;

/** Returns `done` so that it is called at most once. It is missing if nothing was connected. */
const once = (done: Connected[2] | undefined): Connected[2] => {
  let isBack = false;
  return (why) => {
    if (isBack) return;
    isBack = true;
    done?.(why);
  };
};

/**
 * Makes a pool take each connection back once, however often a callback releases it. If the queue's
 * library is stopped while its first LISTEN has no response, it releases the listening connection
 * twice: as it stops, and again when that statement fails. The pool throws on the second release,
 * and that error is uncaught, so the process would exit with 1 in the middle of its shutdown.
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
 * Keeps a pool from listening behind a pooler in transaction mode: it would receive nothing, and a
 * session that listened once would get a notification of every job forever. Jobs are then found by
 * polling.
 */
export const neverListens = (pool: Pool): void => {
  pool.on('connect', (client) => {
    const query: unknown = client.query.bind(client);
    Reflect.set(client, 'query', (...given: readonly unknown[]): unknown => {
      const isListening = typeof given[0] === 'string' && listening.test(given[0]);
      const asked = isListening ? ['SELECT 1', ...given.slice(1)] : given;
      return Reflect.apply(query as () => unknown, client, asked);
    });
  });
};
