import { test } from 'vitest';
import { eventually } from './eventually.ts';
import { openInvariants, type Invariants, type InvariantsAt } from './invariants.ts';
import { openedOnce } from './opened-once.ts';

interface MoneySystem {
  close(): Promise<void>;
  /** Every line of the log so far. */
  logged?(): string;
}

/** The part of a system that every test of money ends with. */
interface MoneyTestEnd {
  readonly at: InvariantsAt;
  /** Rules by their words that the file's tests break on purpose. All others hold. */
  readonly breaks?: readonly string[] | undefined;
  /**
   * Undoes what a test may have changed for itself, and waits until everything it began has
   * finished.
   */
  cleanUp(): Promise<void>;
}

/** The log's warnings and errors, newest last. */
const complaintsOf = (log: string): string =>
  log
    .split('\n')
    .filter((line) => /"level":"(warn|error|fatal)"/u.test(line))
    .slice(-20)
    .join('\n');

/** A webhook of the sandbox may still be in progress when a test ends. */
const retryEvery = { everyMs: 50 };

/**
 * Makes the `it` of a test file whose tests move money: a system as `open`, and after every test
 * the invariants over its database and the collaborators' books. A file's own `afterEach` runs
 * before them.
 */
export const moneyTest = <T extends MoneySystem>(
  open: () => Promise<T>,
  endOf: (opened: T) => MoneyTestEnd,
) => {
  let invariants: Invariants | undefined;
  const opening = async (): Promise<T> => {
    const opened = await open();
    invariants = await openInvariants(endOf(opened).at);
    const close = async () => {
      await invariants?.close();
      await opened.close();
    };
    return { ...opened, close };
  };
  return test
    .extend('open', { scope: 'file' }, openedOnce(opening))
    .extend('moneyHolds', { auto: true }, ({ open: opened, onTestFailed }, { onCleanup }) => {
      onTestFailed(() => {
        process.stderr.write(`${complaintsOf(opened.logged?.() ?? '')}\n`);
      });
      onCleanup(async () => {
        const ending = endOf(opened);
        await ending.cleanUp();
        await eventually(() => invariants?.assert(ending.breaks), retryEvery);
      });
    });
};
