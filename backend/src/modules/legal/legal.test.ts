import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { createCaller, type Caller } from '#test/support/caller.ts';
import { serveCustomerApi } from '#test/support/serve-apis.ts';
import { policyVersionInForce } from './index.ts';

let system: TestSystem;
let call: Caller;

beforeAll(async () => {
  system = await openTestSystem();
  call = createCaller((await serveCustomerApi(system)).url);
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

it('publishes only verified facts, by section', async () => {
  const updatedAt = system.clock.now();
  const field = (section: string, key: string, verified: boolean) => ({
    section,
    key,
    value: `${section} ${key}`,
    verified,
    updatedAt,
  });
  await system.db.legalField.createMany({
    data: [
      field('entity', 'legalName', true),
      field('entity', 'gstin', false),
      field('pricing', 'spread', true),
    ],
  });
  expect(await call('GET', '/legal/entity')).toMatchObject({ status: 200 });
  expect((await call('GET', '/legal/entity')).body).toEqual({ legalName: 'entity legalName' });
  expect((await call('GET', '/legal/pricing')).body).toEqual({ spread: 'pricing spread' });
  expect((await call('GET', '/legal/provider')).body).toEqual({});
});

const publishAs = (slug: string, version: string, effectiveFrom: string, verified = true) =>
  system.db.policyVersion.create({
    data: {
      id: system.random.uuid(),
      slug,
      version,
      title: 'Refunds',
      body: `Text ${version}`,
      verified,
      effectiveFrom: new Date(effectiveFrom),
      createdAt: system.clock.now(),
    },
  });

it('publishes the version of a policy in force, and shows if there is none', async () => {
  await publishAs('refunds', '1', '2026-01-31T18:30:00Z');
  await publishAs('refunds', '2', '2026-01-31T18:30:00Z', false);
  await publishAs('refunds', '3', '2999-01-01T00:00:00Z');
  await publishAs('drafts', '1', '2026-01-01T00:00:00Z', false);
  const inForce = { slug: 'refunds', version: '1', title: 'Refunds', effectiveFrom: '2026-02-01' };
  expect((await call('GET', '/legal/policies/refunds')).body).toEqual({
    ...inForce,
    available: true,
    body: 'Text 1',
    url: null,
  });
  expect((await call('GET', '/legal/policies/drafts')).body).toEqual({
    slug: 'drafts',
    available: false,
    version: null,
    title: null,
    body: null,
    url: null,
    effectiveFrom: null,
  });
  const { body } = await call('GET', '/legal/policies');
  expect(body).toMatchObject({ total: 2, page: 1, limit: 20 });
  expect(body['items']).toContainEqual(inForce);
  for (const slug of ['null', 'x', 'UPPER', 'a%20b']) {
    expect((await call('GET', `/legal/policies/${slug}`)).status).toBe(404);
  }
});
