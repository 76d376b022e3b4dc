import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Redis } from 'ioredis';
import { eventually } from '#test/support/eventually.ts';
import { createFastTime } from '#test/support/fast-time.ts';
import { openTestSystem, type TestSystem } from '#test/support/open-test-system.ts';
import { makePrice } from '#test/support/prices.ts';
import { withConnection } from '../../../dev/stack/database-setup.ts';
import { freePort } from '../../../dev/stack/free-port.ts';
import { done, unknown } from '../../platform/outcome/outcome.ts';
import { createRedis } from '../../platform/redis/index.ts';
import { createLivePrice, type FetchPrice } from './live-price.ts';
import { createPriceFeed, type PriceFeed } from './index.ts';
import type { PriceTick } from './price.types.ts';

/** The factor by which the feed's time is faster, so that a mark comes every 250 ms. */
const speed = 40;
const markMs = 10_000;

let system: TestSystem;
let running: PriceFeed[];
let time: ReturnType<typeof createFastTime>;

beforeAll(async () => {
  system = await openTestSystem();
});

beforeEach(async () => {
  running = [];
  time = createFastTime(speed);
  await system.redis.flushall();
  await withConnection(system.addresses.migrateUrl, (client) =>
    client.query('TRUNCATE price_snapshot'),
  );
});

afterEach(async () => {
  await Promise.all(running.map((feed) => feed.stop()));
});

afterAll(async () => system.close());

const quotes: FetchPrice = async () => done(makePrice({ asOf: time.wall.now() }));

/** Creates a worker's feed, and collects its broadcasts. */
const startFeed = (options: { redis?: Redis; fetchPrice?: FetchPrice } = {}) => {
  const { redis = system.redis, fetchPrice = quotes } = options;
  const sent: PriceTick[] = [];
  const broadcast = (tick: PriceTick): void => void sent.push(tick);
  const { db, random, logger, metrics } = system;
  const feed = createPriceFeed({
    db,
    metrics,
    fetchPrice,
    broadcast,
    redis,
    random,
    logger,
    ...time,
  });
  feed.start();
  running.push(feed);
  return { feed, sent };
};

const ticks = () =>
  system.db.priceSnapshot.findMany({
    where: { seq: { not: null } },
    orderBy: { seq: 'asc' },
    select: { seq: true, mark: true },
  });

type Feeds = readonly { readonly sent: readonly PriceTick[] }[];

/** Checks that ticks have successive numbers and separate marks, sent once. Returns the marks. */
const expectNumbered = async (...feeds: Feeds): Promise<number[]> => {
  const rows = await ticks();
  expect(rows.map(({ seq }) => Number(seq))).toEqual(rows.map((_row, index) => index + 1));
  const marks = rows.map(({ mark }) => mark?.getTime() ?? 0);
  expect(new Set(marks).size).toBe(marks.length);
  expect(marks.every((mark) => mark % markMs === 0)).toBe(true);
  const seqs = feeds.flatMap(({ sent }) => sent.map(({ seq }) => seq)).toSorted((a, b) => a - b);
  expect(seqs).toEqual(rows.map(({ seq }) => Number(seq)));
  return marks;
};
const expectWhole = async (...feeds: Feeds): Promise<void> => {
  const marks = await expectNumbered(...feeds);
  expect(marks).toEqual(marks.toSorted((a, b) => a - b));
};

const stopAll = async () => {
  await Promise.all(running.map((feed) => feed.stop()));
  running = [];
};

describe('one feed', () => {
  it('sends the tick of the current mark at once, then one on every mark', async () => {
    const startedAt = time.wall.now().getTime();
    const feed = startFeed();
    await eventually(() => feed.sent.length >= 4);
    await stopAll();
    await expectWhole(feed);
    const [first, ...rest] = await ticks();
    expect(startedAt - (first?.mark?.getTime() ?? 0)).toBeLessThan(markMs);
    expect(rest.length).toBeGreaterThanOrEqual(3);
    expect(feed.sent.every(({ stale }) => !stale)).toBe(true);
    const { body } = await system.metrics.text();
    const [, observed] = /^price_tick_lateness_seconds_count\{[^}]*\} (\d+)$/mu.exec(body) ?? [];
    expect(Number(observed)).toBeGreaterThanOrEqual(feed.sent.length);
  });

  it('is read by replicas, which need not call the provider', async () => {
    const { sent } = startFeed();
    await eventually(() => sent.length > 0);
    const live = createLivePrice({
      db: system.db,
      wall: time.wall,
      fetchPrice: async () => unknown('nobody is asked'),
      spreads: async () => ({ buySpreadBps: 0, sellSpreadBps: 0 }),
    });
    expect(await eventually(() => live.livePrice())).toMatchObject({ buyPaise: 741_000n });
  });

  it('sends nothing before the first price', async () => {
    const before = system.logged().length;
    const { sent } = startFeed({ fetchPrice: async () => unknown('no answer') });
    await eventually(() => system.logged().slice(before).includes('no price yet'));
    expect(sent).toEqual([]);
    expect(await ticks()).toEqual([]);
  });

  it.each([
    ['is down', async () => unknown('no answer')],
    ['does not answer in time', () => new Promise<never>(() => {})],
  ])('continues with the last price as stale while the provider %s', async (_name, broken) => {
    let fetchPrice: FetchPrice = quotes;
    const { sent } = startFeed({ fetchPrice: () => fetchPrice() });
    await eventually(() => sent.length >= 1);
    fetchPrice = broken;
    const fresh = sent.length;
    await eventually(() => sent.length >= fresh + 2);
    const [last, stale] = [sent[fresh - 1], sent.at(-1)];
    expect(stale).toMatchObject({ stale: true, price: { buyPaise: last?.price.buyPaise } });
    fetchPrice = quotes;
    await eventually(() => sent.at(-1)?.stale === false);
    await stopAll();
    await expectWhole({ sent });
  });

  it('continues after an error of the database', async () => {
    let failures = 1;
    const before = system.logged().length;
    const { sent } = startFeed({
      fetchPrice: async () => {
        failures -= 1;
        if (failures >= 0) throw new Error('the database is gone');
        return quotes();
      },
    });
    await eventually(() => sent.length >= 2);
    const logged = system.logged().slice(before);
    expect(logged).toContain('the price feed failed and restarts');
  });
});

describe('two feeds', () => {
  it('have one leader and one sequence', async () => {
    const [one, two] = [startFeed(), startFeed()];
    await eventually(() => one.sent.length + two.sent.length >= 6);
    await stopAll();
    await expectWhole(one, two);
    expect([one.sent.length, two.sent.length]).toContain(0);
  });

  it('have a new leader when the leader stops', async () => {
    const one = startFeed();
    await eventually(() => one.sent.length >= 2);
    const two = startFeed();
    await one.feed.stop();
    await eventually(() => two.sent.length >= 2);
    await stopAll();
    await expectWhole(one, two);
    expect(two.sent[0]?.seq).toBeGreaterThan(one.sent.at(-1)?.seq ?? Infinity);
  });

  it('have a new leader after the leader died with the lock', async () => {
    const key = 'lock:price-feed';
    const first = startFeed();
    await eventually(() => first.sent.length >= 1);
    // The lock of a leader that can't extend it expires soon, which bounds the takeover.
    const leftMs = await system.redis.pttl(key);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(5000);
    await stopAll();

    await system.redis.set(key, 'of the dead', 'PX', 1500);
    const { sent } = startFeed();
    await eventually(() => sent.length >= 1);
    expect(await system.redis.get(key)).not.toBe('of the dead');
  });

  it('continue without Redis, and send no mark twice', async () => {
    const redis = createRedis(`redis://127.0.0.1:${await freePort()}`, 'fail-fast');
    const [one, two] = [startFeed({ redis }), startFeed({ redis })];
    await eventually(() => one.sent.length + two.sent.length >= 6);
    await stopAll();
    // With two leaders, a mark may get its number before an earlier mark does.
    await expectNumbered(one, two);
    expect(one.sent.length + two.sent.length).toBe((await ticks()).length);
    redis.disconnect();
  });
});
