import type { Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/**
 * Ticks fall on the wall clock's 10 s marks, so it may take that long, and twice that after the
 * snapshot's.
 */
export const hearTick: Step = {
  title: 'A tick of the price feed',
  async run(demo) {
    const prices = demo.readState('prices');
    // The tick that the snapshot shows may be sent just after it, too.
    const known = prices.snapshot()?.seq ?? 0;
    const [tick] = await until({
      timers: demo.timers,
      seconds: 25,
      look: () => prices.ticks().filter(({ seq }) => seq > known),
      isThere: (ticks) => ticks.length > 0,
      otherwise: () => 'the price feed does not tick',
    });
    expectThat(tick !== undefined, 'no tick');
    return [
      `price_update ${tick.seq} at the next 10 s mark: buy ${showPaise(tick.buyPaise)},` +
        ` sell ${showPaise(tick.sellPaise)}`,
    ];
  },
};
