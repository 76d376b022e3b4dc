import { moneyTest } from './money-test.ts';
import { openMoneyOut, type MoneyOutOptions } from './open-money-out.ts';

interface PayoutTestOptions extends MoneyOutOptions {
  /** Rules by their words that the file's tests break on purpose; all others hold. */
  readonly breaks?: readonly string[];
}

/**
 * Makes the `it` of a file of tests on bank accounts and payouts. After every test no faults are
 * left, and the invariants hold.
 */
export const payoutTest = ({ breaks, ...options }: PayoutTestOptions = {}) =>
  moneyTest(
    () => openMoneyOut(options),
    ({ system: { addresses, sandbox } }) => ({
      at: { databaseUrl: addresses.databaseUrl, sandboxUrl: sandbox.url },
      breaks,
      async settle() {
        await sandbox.control('DELETE', '/faults');
      },
    }),
  );
