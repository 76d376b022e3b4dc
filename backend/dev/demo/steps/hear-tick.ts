import type { Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/** Ticks fall on the wall clock's 10 s marks, so it may take that long. */
export const hearTick: Step = {
  title: 'A tick of the price feed',
  async run(demo) {
    const prices = demo.readState('prices');
    const before = prices.snapshot();
    const [tick] = await until({
      timers: demo.timers,
      seconds: 15,
      look: () => prices.ticks(),
      isThere: (ticks) => ticks.length > 0,
      otherwise: () => 'the price feed does not tick',
    });
    expectThat(tick !== undefined, 'no tick');
    const isNext = before === undefined || tick.seq > before.seq;
    expectThat(isNext, `tick ${tick.seq} after ${before?.seq ?? ''}`);
    return [
      `price_update ${tick.seq} at the next 10 s mark: buy ${showPaise(tick.buyPaise)},` +
        ` sell ${showPaise(tick.sellPaise)}`,
    ];
  },
};
