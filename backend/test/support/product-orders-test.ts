import { moneyTest } from './money-test.ts';
import { openProductOrders, usualRate } from './open-product-orders.ts';

/**
 * Creates the `it` of a test file on product orders. After every test it restores the usual live
 * price, removes all faults and checks the invariants.
 */
export const productOrdersTest = () =>
  moneyTest(openProductOrders, ({ conditions, system: { addresses, sandbox } }) => ({
    at: { databaseUrl: addresses.databaseUrl, sandboxUrl: sandbox.url },
    async cleanUp() {
      conditions.rate24K = usualRate;
      await sandbox.control('DELETE', '/faults');
    },
  }));
