import { moneyTest } from './money-test.ts';
import { openBooks } from './open-books.ts';

/**
 * Makes the `it` of a file of tests on all services and their reconciliation. After every test no
 * faults are left, and the invariants hold.
 */
export const booksTest = () =>
  moneyTest(openBooks, ({ system: { addresses, sandbox } }) => ({
    at: { databaseUrl: addresses.databaseUrl, sandboxUrl: sandbox.url },
    async cleanUp() {
      await sandbox.control('DELETE', '/faults');
    },
  }));
