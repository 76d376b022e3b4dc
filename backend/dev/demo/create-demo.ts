import { createTimers } from '../../src/platform/clock/timers.ts';
import { createRandom } from '../../src/platform/ids/random.ts';
import { createDemoClient } from './demo-client.ts';
import { createDemoNetwork } from './demo-network.ts';
import type { Demo, DemoNotes } from './demo.types.ts';
import type { DemoEndpoints } from './read-endpoints.ts';

const prefixes = { customer: '/v1', admin: '/v1', accounting: '/api/v1/accounting' } as const;

/** What the steps of one run share; `close` ends what they opened. */
export const createDemo = (endpoints: DemoEndpoints): Demo & { close(): Promise<void> } => {
  const notes: Partial<DemoNotes> = {};
  const closers: (() => void)[] = [];
  const timers = createTimers();
  const network = createDemoNetwork({ resolve: endpoints.resolve ?? {}, timers });
  return {
    endpoints,
    random: createRandom(),
    timers,
    network,
    sandbox: createDemoClient({ network, base: `${endpoints.sandbox}/_control` }),
    visitor: (api, ip) =>
      createDemoClient({
        network,
        base: endpoints[api] + prefixes[api],
        headers: { 'x-forwarded-for': ip },
      }),
    keep(name, value) {
      notes[name] = value;
    },
    recall<K extends keyof DemoNotes>(name: K): DemoNotes[K] {
      const note = notes[name];
      if (note === undefined) throw new Error(`no step before this one kept "${name}"`);
      return note;
    },
    atEnd: (close) => void closers.push(close),
    async close() {
      for (const close of closers) close();
      await network.close();
    },
  };
};
