import { addDebits } from './add-debits.ts';
import { checkReservations } from './checks/check-reservations.ts';
import { checkSnapshot } from './checks/check-snapshot.ts';
import { emptySnapshot, readMark, readSnapshot } from './checks/read-snapshot.ts';
import { checkRules, openRuleChoice } from './checks/rules.ts';
import { markTold } from './commands/payments.ts';
import { firstPrice, newWorld, type Product } from './model/world.ts';
import { createSessions } from './sessions.ts';
import type { Story } from './story.ts';
import { syncWorld } from './sync-world.ts';
import { openSystem, type StoreAddresses } from './system/open-system.ts';

/** Every story begins at this time, which is a morning in India. */
const beginning = new Date('2026-03-20T04:30:00.000Z');

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
  stock: undefined,
});

/** Opens a story on empty, seeded stores. */
export const openStory = async (
  stores: StoreAddresses,
): Promise<Story & { close(): Promise<void> }> => {
  const system = await openSystem(stores, beginning);
  const sessions = createSessions(system);
  await system.control('PUT', '/price', firstPrice);
  const world = newWorld(system.clock.now().getTime());
  const rules = await openRuleChoice(system.client);
  const { body } = await sessions.anybody('GET', '/v1/products?limit=100');
  const shown: ShownProduct[] = body.items;
  world.products.push(...shown.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(productOf));
  const story: Story & { close(): Promise<void> } = {
    system,
    sessions,
    world,
    pendingWebhooks: [],
    seen: emptySnapshot(),
    nextKey: 1,
    steps: 0,
    markTold: (webhook) => markTold(story.world, webhook),
    async collectWebhooks() {
      for (;;) {
        const { body: sent } = await system.control('GET', '/webhooks?state=waiting');
        if (sent.deliveries.length === 0) break;
      }
      story.pendingWebhooks.push(...system.webhookRecorder.collect());
    },
    async look(payments = 0) {
      const mark = await readMark(system.client);
      if (mark === story.seen.mark) return;
      const chosen = await rules.choose(story.seen.horizon);
      story.seen = await readSnapshot(system.client, mark, story.seen);
      checkReservations(story.world, story.seen);
      syncWorld(story.world, story.seen);
      if (payments > 0) await addDebits(story, payments);
      await checkRules(system.client, chosen);
      checkSnapshot(story.world, story.seen);
    },
    close: () => system.close(),
  };
  return story;
};
