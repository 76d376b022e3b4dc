import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type FreshDatabase } from '#test/support/fresh-database.ts';
import { openStory } from '../simulation/open-story.ts';
import { clearAway, deliveries, jobKinds, play } from './job-kinds.ts';
import { readDigest, differenceOf } from './read-digest.ts';
import { takeJob, type JobGround } from './take-job.ts';

/** Each kind of job, with a customer of its own for every way in which it is delivered. */

let stores: FreshDatabase;
let ground: JobGround;

beforeAll(async () => {
  stores = await freshDatabase({ seeded: true });
  ground = { story: await openStory(stores), migrateUrl: stores.migrateUrl };
});
afterAll(async () => {
  await ground.story.close();
  await stores.drop();
});

// A whole service, at which a busy machine plays for long.
describe('a job that is delivered twice', { timeout: 900_000 }, () => {
  it.each(jobKinds)('ends as once: $kind', async ({ kind, prepare }) => {
    const { story } = ground;
    const ends: Record<string, object> = {};
    for (const [way, deliver] of Object.entries(deliveries)) {
      await prepare(ground);
      const run = await takeJob(ground, kind);
      const before = await readDigest(story.system);
      await deliver(run);
      ends[way] = differenceOf(before, await readDigest(story.system));
      await clearAway(ground);
    }
    const { once, ...twice } = ends;
    expect(once, 'it changes something').not.toEqual({});
    expect(twice).toEqual({ 'at once': once, 'one after the other': once });
  });

  it('has a row here', () => {
    const kinds = Object.keys(ground.story.system.processes().tasks).toSorted();
    expect(jobKinds.map(({ kind }) => kind).toSorted()).toEqual(kinds);
  });

  it('leaves books that agree', async () => {
    await expect(play(ground, [['settle', {}]])).resolves.toBeUndefined();
  });
});
