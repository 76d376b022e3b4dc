import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFactories } from '#test/support/factories.ts';
import { openKit, type Kit } from '#test/support/open-kit.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createSessionPurges } from './index.ts';

const dayMs = 24 * 3_600_000;

let kit: Kit;
beforeAll(async () => {
  kit = await openKit();
});
afterAll(() => kit.close());

const useToken = (sessionId: string, expiresAt: Date) =>
  kit.db.usedRefreshToken.create({
    data: {
      sessionId,
      familyId: sessionId,
      tokenHash: `used-${sessionId}`,
      usedAt: kit.clock.now(),
      expiresAt,
    },
  });

it('deletes sessions 30 days after they ended, with the tokens used up in them', async () => {
  const { customer } = createFactories(kit);
  const ended = await customer();
  await useToken(ended.sessionId, addMs(kit.clock.now(), dayMs));
  kit.clock.advance(dayMs);
  // Its refresh token, of 30 days, and the 30 days after it are not over for one more second.
  const kept = await customer();
  kit.clock.advance(60 * dayMs - 1000);
  const live = await customer();
  const purges = createSessionPurges(kit);
  for (const { deleteBatch } of purges) expect(await deleteBatch(100)).toBe(1);
  for (const { deleteBatch } of purges) expect(await deleteBatch(100)).toBe(0);
  const left = await kit.db.session.findMany({ select: { id: true } });
  const ids = [kept.sessionId, live.sessionId];
  expect(left.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});
