import { expect, test } from 'vitest';
import { createFactories } from '#test/support/factories.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { openedOnce } from '#test/support/opened-once.ts';
import { addMs } from '../../platform/clock/clock.ts';
import { createSessionPurges } from './index.ts';

const dayMs = 24 * 3_600_000;

const it = test.extend('system', { scope: 'file' }, openedOnce(openTestSystem));

const useToken = (system: TestSystem, sessionId: string, expiresAt: Date) =>
  system.db.usedRefreshToken.create({
    data: {
      sessionId,
      familyId: sessionId,
      tokenHash: `used-${sessionId}`,
      usedAt: system.clock.now(),
      expiresAt,
    },
  });

it('the purge deletes sessions with their used tokens 30 days after they expired', async ({
  system,
}) => {
  const { customer } = createFactories(system);
  const ended = await customer();
  await useToken(system, ended.sessionId, addMs(system.clock.now(), dayMs));
  system.clock.advance(dayMs);
  // Its refresh token, of 30 days, and the 30 days after it are not over for one more second.
  const kept = await customer();
  system.clock.advance(60 * dayMs - 1000);
  const live = await customer();
  const purges = createSessionPurges(system);
  for (const { deleteBatch } of purges) expect(await deleteBatch(100)).toBe(1);
  for (const { deleteBatch } of purges) expect(await deleteBatch(100)).toBe(0);
  const left = await system.db.session.findMany({ select: { id: true } });
  const ids = [kept.sessionId, live.sessionId];
  expect(left.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});
