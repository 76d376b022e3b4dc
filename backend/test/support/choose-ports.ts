import { freePort } from '../../dev/stack/free-port.ts';
import type { StackPorts } from '../../dev/stack/stack-ports.ts';

/** Free ports for a whole stack. */
export const choosePorts = async (): Promise<StackPorts> => ({
  customer: await freePort(),
  admin: await freePort(),
  accounting: await freePort(),
  sandbox: await freePort(),
  customerInternal: await freePort(),
  adminInternal: await freePort(),
  accountingInternal: await freePort(),
  workerInternal: await freePort(),
  postgres: await freePort(),
  redis: await freePort(),
});
