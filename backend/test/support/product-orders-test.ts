import { moneyTest } from './money-test.ts';
import { openProductOrders, usualRate } from './open-product-orders.ts';

/**
 * Makes the `it` of a file of tests on product orders. After every test the live price is the usual
 * one, no faults are left, and the invariants hold.
 */
export const productOrdersTest = () =>
  moneyTest(openProductOrders, ({ conditions, system: { addresses, sandbox } }) => ({
    at: { databaseUrl: addresses.databaseUrl, sandboxUrl: sandbox.url },
    async cleanUp() {
      conditions.rate24K = usualRate;
      await sandbox.control('DELETE', '/faults');
    },
  }));
