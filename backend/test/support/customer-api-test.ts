import { moneyTest } from './money-test.ts';
import { openCustomerApi } from './open-customer-api.ts';

/**
 * Makes the `it` of a file of tests on the whole customer API. After every test no faults are left,
 * and the invariants hold.
 */
export const customerApiTest = (options: Parameters<typeof openCustomerApi>[0] = {}) =>
  moneyTest(
    () => openCustomerApi(options),
    ({ system: { addresses, sandbox } }) => ({
      at: { databaseUrl: addresses.databaseUrl, sandboxUrl: sandbox.url },
      async cleanUp() {
        await sandbox.control('DELETE', '/faults');
      },
    }),
  );
