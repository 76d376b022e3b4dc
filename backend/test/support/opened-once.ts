import { afterAll, beforeAll } from 'vitest';

interface Closable {
  close(): Promise<void>;
}

/**
 * Opens a system before a test file's first test and closes it after the last. Returns the value of
 * the fixture that the tests get it by. Hooks do it, since a fixture that a test sets up has only
 * that test's time, and the first system of a run may wait for the servers.
 */
export const openedOnce = <T extends Closable>(open: () => Promise<T>): (() => T) => {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());
  return () => {
    if (opened === undefined) throw new Error('a system is there for tests and hooks only');
    return opened;
  };
};
