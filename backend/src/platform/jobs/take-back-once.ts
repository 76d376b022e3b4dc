import type { Pool } from 'pg';

type Connected = Parameters<Parameters<Pool['connect']>[0]>;

/** Returns `done` so that it is called once at most. It is missing where nothing was connected. */
const once = (done: Connected[2] | undefined): Connected[2] => {
  let isBack = false;
  return (why) => {
    if (isBack) return;
    isBack = true;
    done?.(why);
  };
};

/**
 * Makes a pool take each connection back once, however often a callback releases it. The queue's
 * library releases the one that listens twice where it is stopped while its first LISTEN has no
 * answer: as it stops, and again when that statement fails. The pool throws at the second, nobody
 * catches it, and the process would exit with 1 in the middle of its shutdown.
 */
export const takeBackOnce = (pool: Pool): void => {
  const connect = pool.connect.bind(pool);
  const connectOnce = (callback?: (...connected: Connected) => void): unknown => {
    if (callback === undefined) return connect();
    return connect((error, client, done) => callback(error, client, once(done)));
  };
  Reflect.set(pool, 'connect', connectOnce);
};
