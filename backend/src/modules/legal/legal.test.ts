import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { policyVersionInForce } from './index.ts';

let system: TestSystem;

beforeAll(async () => {
  system = await openTestSystem();
});

afterAll(async () => system.close());

const publish = (version: string, effectiveFrom: string, verified = true) =>
  system.db.policyVersion.create({
    data: {
      id: system.random.uuid(),
      slug: 'terms',
      version,
      title: 'Terms',
      body: 'Text',
      verified,
      effectiveFrom: new Date(effectiveFrom),
      createdAt: system.clock.now(),
    },
  });

const inForce = (moment: string, slug = 'terms') =>
  policyVersionInForce(system.db, slug, new Date(moment));

it('is the newest verified version that has taken effect', async () => {
  expect(await inForce('2026-06-01T00:00:00Z')).toBeUndefined();
  await publish('1', '2026-01-01T00:00:00Z');
  await publish('2', '2026-06-01T00:00:00Z');
  await publish('3', '2026-06-02T00:00:00Z', false);
  expect(await inForce('2025-12-31T23:59:59Z')).toBeUndefined();
  expect(await inForce('2026-05-31T23:59:59Z')).toBe('1');
  expect(await inForce('2026-06-01T00:00:00Z')).toBe('2');
  expect(await inForce('2026-12-01T00:00:00Z')).toBe('2');
  expect(await inForce('2026-12-01T00:00:00Z', 'privacy')).toBeUndefined();
});
