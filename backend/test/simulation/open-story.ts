import { holdSnapshot } from './checks/hold-snapshot.ts';
import { readMark, readSnapshot, type Snapshot } from './checks/read-snapshot.ts';
import { holdRules } from './checks/rules.ts';
import { markTold } from './commands/payments.ts';
import { firstPrice, newWorld, type Product } from './model/world.ts';
import { createSessions } from './sessions.ts';
import type { Story } from './story.ts';
import { syncWorld } from './sync-world.ts';
import { openSystem, type StoreAddresses } from './system/open-system.ts';

/** Every story begins on this morning, in India. */
const beginning = new Date('2026-03-20T04:30:00.000Z');

const emptySnapshot: Snapshot = {
  mark: '',
  orders: new Map(),
  holdings: new Map(),
  payouts: new Map(),
  paymentOrders: [],
  plans: new Map(),
  productOrders: new Map(),
  accounts: new Map(),
};

interface ShownProduct {
  readonly id: string;
  readonly name: string;
  readonly pricingMode: 'FIXED' | 'DYNAMIC';
  readonly purityKarat: number;
  readonly weightGrams: string;
  readonly makingChargePct: number;
  readonly pricePaise: number;
}

const productOf = (shown: ShownProduct): Product => ({
  id: shown.id,
  mode: shown.pricingMode,
  karat: shown.purityKarat,
  weight: Math.round(Number(shown.weightGrams) * 10_000),
  makingBps: Math.round(shown.makingChargePct * 100),
  fixedPaise: shown.pricePaise,
});

/** Opens a story on empty, seeded stores. */
export const openStory = async (
  stores: StoreAddresses,
): Promise<Story & { close(): Promise<void> }> => {
  const system = await openSystem(stores, beginning);
  const sessions = createSessions(system);
  await system.control('PUT', '/price', firstPrice);
  const world = newWorld(system.clock.now().getTime());
  const { body } = await sessions.anybody('GET', '/v1/products?limit=100');
  const shown: ShownProduct[] = body.items;
  world.products.push(...shown.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(productOf));
  const story: Story & { close(): Promise<void> } = {
    system,
    sessions,
    world,
    mail: [],
    seen: emptySnapshot,
    nextKey: 1,
    steps: 0,
    markTold: (letter) => markTold(story.world, letter),
    async collectMail() {
      for (;;) {
        const { body: sent } = await system.control('GET', '/webhooks');
        const waits = sent.deliveries.some(({ state }: { state: string }) => state === 'waiting');
        if (!waits) break;
      }
      story.mail.push(...system.postOffice.collect());
    },
    async look() {
      const mark = await readMark(system.client);
      if (mark === story.seen.mark) return;
      story.seen = await readSnapshot(system.client, mark);
      syncWorld(story.world, story.seen);
      await holdRules(system.client);
      holdSnapshot(story.world, story.seen);
    },
    close: () => system.close(),
  };
  return story;
};
