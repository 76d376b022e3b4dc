import {
  createAdminClient,
  createApiClient,
  createCustomerClient,
  type ApiClientOptions,
} from '@digital-gold/client';
import { createTimers } from '../../src/platform/clock/timers.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createDemoNetwork } from './demo-network.ts';
import type { Demo, DemoState } from './demo.types.ts';
import type { LocalProcesses } from './local-processes.ts';
import type { DemoEndpoints } from './read-endpoints.ts';
import { createStepState } from './run-steps.ts';

/**
 * This is longer than the network waits for a rate limit, which has a separate time limit for each
 * try.
 */
const timeoutMs = 600_000;

/** Creates the shared objects of a run's steps. `close` ends everything that they opened. */
export const createDemo = (
  endpoints: DemoEndpoints,
  local?: LocalProcesses,
): Demo & { close(): Promise<void> } => {
  const closers: (() => void)[] = [];
  const timers = createTimers();
  const network = createDemoNetwork({ resolve: endpoints.resolve ?? {}, timers });
  const reach = (
    api: 'customer' | 'admin' | 'accounting' | 'sandbox',
    clientAddress?: string,
  ): ApiClientOptions => ({
    baseUrl: endpoints[api],
    clientAddress,
    timeoutMs,
    fetch: (request) => network.fetch(request),
  });
  return {
    endpoints,
    random: createRandom(),
    timers,
    network,
    sandbox: createApiClient(reach('sandbox')),
    visitor: {
      customer: (ip) => createCustomerClient(reach('customer', ip)),
      admin: (ip, url) =>
        createAdminClient({ ...reach('admin', ip), ...(url !== undefined && { baseUrl: url }) }),
      accounting: (ip) => createApiClient(reach('accounting', ip)),
    },
    local,
    ...createStepState<DemoState>(),
    atEnd: (close) => void closers.push(close),
    async close() {
      for (const close of closers) close();
      await network.close();
    },
  };
};
