import { moneyTest } from './money-test.ts';
import { openMoneyOut, type MoneyOutOptions } from './open-money-out.ts';

/**
 * Makes the `it` of a file of tests on bank accounts and payouts. After every test no faults are
 * left, and the invariants hold.
 */
export const payoutTest = (options: MoneyOutOptions = {}) =>
  moneyTest(
    () => openMoneyOut(options),
    ({ system: { addresses, sandbox } }) => ({
      at: { databaseUrl: addresses.databaseUrl, sandboxUrl: sandbox.url },
      async settle() {
        await sandbox.control('DELETE', '/faults');
      },
    }),
  );
