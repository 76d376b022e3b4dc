import { moneyTest } from './money-test.ts';
import { openGold, type OpenGoldOptions } from './open-gold.ts';

interface GoldTestOptions extends OpenGoldOptions {
  /** Rules by their words that the file's tests break on purpose. All others hold. */
  readonly breaks?: readonly string[];
}

/**
 * Makes the `it` of a file of tests on quotes, buys, sales, plans and reviews. After every test the
 * conditions are as at first, no faults are left, and the invariants hold.
 */
export const goldTest = ({ breaks, ...options }: GoldTestOptions = {}) =>
  moneyTest(
    () => openGold(options),
    ({ databaseUrl, sandbox, setGate, setLimits, setKyc }) => ({
      at: { databaseUrl, sandboxUrl: sandbox.url },
      breaks,
      async cleanUp() {
        setGate('buy', true);
        setGate('sell', true);
        await setLimits();
        await setKyc('APPROVED');
        await sandbox.control('DELETE', '/faults');
      },
    }),
  );
