import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFactories } from '#test/support/factories.ts';
import { openKit, type Kit } from '#test/support/open-kit.ts';
import { createPortalSessionPurge } from './index.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let kit: Kit;
beforeAll(async () => {
  kit = await openKit();
});
afterAll(() => kit.close());

it('deletes portal sessions 30 days after they ended, and no later one', async () => {
  const { portalUser } = createFactories(kit);
  await portalUser('viewer');
  kit.clock.advance(29 * dayMs);
  const { portalUserId } = await portalUser('viewer');
  kit.clock.advance(dayMs + 9 * hourMs);
  const { deleteBatch } = createPortalSessionPurge(kit);
  expect(await deleteBatch(100)).toBe(1);
  expect(await deleteBatch(100)).toBe(0);
  expect(await kit.db.portalSession.findMany()).toMatchObject([{ portalUserId }]);
});
