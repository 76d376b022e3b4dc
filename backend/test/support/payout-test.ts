import { moneyTest } from './money-test.ts';
import { openPayouts, type OpenPayoutsOptions } from './open-payouts.ts';

interface PayoutTestOptions extends OpenPayoutsOptions {
  /** Rules by their words that the file's tests break on purpose. All others hold. */
  readonly breaks?: readonly string[];
}

/**
 * The gold of a made-up sale comes with it, since nobody bought it (see `createConfirmedSales`).
 */
const brokenBySales = 'a sale takes gold, and credits none';

/**
 * Makes the `it` of a file of tests on bank accounts and payouts. After every test no faults are
 * left, and the invariants hold.
 */
export const payoutTest = ({ breaks = [], ...options }: PayoutTestOptions = {}) =>
  moneyTest(
    () => openPayouts(options),
    ({ system: { addresses, sandbox } }) => ({
      at: { databaseUrl: addresses.databaseUrl, sandboxUrl: sandbox.url },
      breaks: [brokenBySales, ...breaks],
      async cleanUp() {
        await sandbox.control('DELETE', '/faults');
      },
    }),
  );
