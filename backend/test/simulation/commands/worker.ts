import type { World } from '../model/world.ts';
import { allow, hasFaults, numberOf, textOf, type Command, type Story } from '../story.ts';
import { nothing } from './payments.ts';

/** The worker runs a job, which is the oldest or another one, once or twice at the same time. */
export const runJob: Command = {
  name: 'run-job',
  choose: (_story, { int, percent }) => ({
    nth: percent(80) ? 0 : int(5),
    times: percent(93) ? 1 : 2,
  }),
  prepare: ({ system }, given) => ({
    async call() {
      const times = Math.max(1, numberOf(given, 'times'));
      await system.queue.runOne(numberOf(given, 'nth'), times);
      return nothing;
    },
    judge: (_world, answer) => allow('job', answer, ['200']),
  }),
};

/** The worker runs all waiting jobs of its queue. */
export const drain: Command = {
  name: 'drain',
  choose: () => ({}),
  prepare: ({ system }) => ({
    async call() {
      await system.processes().moveDueJobs();
      await system.queue.drain(40);
      return nothing;
    },
    judge: () => {},
  }),
};

/**
 * One replica of the worker runs a sweep, or both run it at the same time. An error of a sweep is a
 * failure of the service.
 */
export const runSweep: Command = {
  name: 'run-sweep',
  choose({ system }, { pick, percent }) {
    const name = pick(system.processes().sweeps)?.name;
    return name === undefined ? undefined : { name, both: percent(15) };
  },
  prepare({ system }, given) {
    const name = textOf(given, 'name');
    const { workers } = system.processes();
    const found = workers.flatMap(({ sweeps }) => sweeps.filter((one) => one.name === name));
    if (found.length === 0) return undefined;
    const running = given['both'] === true ? found : found.slice(-1);
    return {
      async call() {
        await Promise.all(running.map((sweep) => sweep.run(new AbortController().signal)));
        return nothing;
      },
      judge: () => {},
    };
  },
};

const [minute, hour, day] = [60, 3600, 86_400];

const jumps: readonly (readonly [weight: number, seconds: number])[] = [
  [20, 6],
  [20, 50],
  [12, 5 * minute],
  [8, 7 * minute + 50],
  [4, 8 * minute + 1],
  [10, 11 * minute],
  [6, hour],
  [8, 6 * hour],
  [10, day],
  [5, 3 * day + 60],
  [3, 8 * day],
  [2, 31 * day],
];

const istOffset = 5.5 * hour;

/** Returns the seconds until just before the next midnight in India. */
const untilMidnight = (now: number): number => {
  const seconds = Math.floor(now / 1000) + istOffset;
  return day - (seconds % day) - 2;
};

/**
 * Marks the buys whose lock ends in this time. A payment that is reported later is too late, and
 * gold that was not bought by then is not bought.
 */
const noteMissed = (changed: World, { world, seen }: Story): void => {
  for (const buy of changed.buys) {
    const { lockEnds, payments, wasTroubled } = buy;
    const endsNow = lockEnds !== undefined && world.now < lockEnds && lockEnds <= changed.now;
    if (!endsNow || wasTroubled || hasFaults(world)) continue;
    const status = seen.orders.get(buy.id)?.status;
    if (status === 'PENDING' && payments.every(({ toldAt }) => toldAt === undefined)) {
      buy.missed = 'payment';
    }
    if (status === 'PAID') buy.missed = 'gold';
  }
};

/** The time advances by seconds or by weeks. Work that is then due is done by later steps. */
export const advance: Command = {
  name: 'advance',
  choose({ world }, { weighted, percent }) {
    if (percent(4)) return { seconds: untilMidnight(world.now) };
    return { seconds: weighted(jumps) ?? 6 };
  },
  prepare(story, given) {
    const { system, world } = story;
    const seconds = numberOf(given, 'seconds');
    if (seconds <= 0) return undefined;
    const before = { ...story, world: { ...world } };
    return {
      async call() {
        await system.advance(seconds);
        return nothing;
      },
      judge(changed) {
        changed.now = before.world.now + seconds * 1000;
        noteMissed(changed, before);
        // The service keeps no copy of a price for longer.
        if (seconds > 10) changed.prices = changed.prices.slice(-1);
      },
    };
  },
};
