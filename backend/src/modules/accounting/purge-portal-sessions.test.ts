import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFactories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createPortalSessionPurge } from './index.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let system: TestSystem;
beforeAll(async () => {
  system = await openTestSystem();
});
afterAll(() => system.close());

it('the purge deletes portal sessions 30 days after they ended, and no later one', async () => {
  const { portalUser } = createFactories(system);
  await portalUser('viewer');
  system.clock.advance(29 * dayMs);
  const { portalUserId } = await portalUser('viewer');
  system.clock.advance(dayMs + 9 * hourMs);
  const { deleteBatch } = createPortalSessionPurge(system);
  expect(await deleteBatch(100)).toBe(1);
  expect(await deleteBatch(100)).toBe(0);
  expect(await system.db.portalSession.findMany()).toMatchObject([{ portalUserId }]);
});
