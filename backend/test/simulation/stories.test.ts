import { expect, test } from 'vitest';
import { freshDatabase } from '../support/fresh-database.ts';
import { openStory } from './open-story.ts';
import { playStep } from './play-step.ts';
import type { Step } from './story.ts';

/** Plays a story that the simulation found once, on separate stores. */
const it = test.extend<{ readonly play: (steps: readonly Step[]) => Promise<number> }>({
  play: async ({ task: _task }, use) => {
    const stores = await freshDatabase({ seeded: true });
    const story = await openStory(stores);
    await use(async (steps) => {
      for (const step of steps) await playStep(story, step);
      return story.steps;
    });
    await story.close();
    await stores.drop();
  },
});

it('buys, sells, pays out and comes to rest', async ({ play }) => {
  const played = await play([
    ['sign-up', { c: 0, approve: true }],
    ['add-account', { c: 0, number: '1234567899999' }],
    ['buy', { c: 0, k: 1, unit: 'INR', amount: 500_000, gateway: 'razorpay' }],
    ['pay', { b: 0, g: 0, outcome: 'captured', wrong: '' }],
    ['deliver', { n: 0, times: 2, keep: false }],
    ['drain', {}],
    ['settle', {}],
    ['sell', { c: 0, a: 0, k: 2, unit: 'GRAMS', amount: 100 }],
    ['drain', {}],
    ['end-payout', { s: 0, outcome: 'processed' }],
    ['settle', {}],
    ['read-portfolio', { c: 0 }],
  ]);
  expect(played).toBe(12);
});
