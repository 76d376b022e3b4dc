import type { Step } from '../demo.types.ts';
import { listenToPrices } from '../price-listener.ts';
import { showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/** The live price and the clients' configuration by request, and the feed's first word on a socket. */
export const readPrice: Step = {
  title: 'The live price, and the price feed',
  async run(demo) {
    const { api } = demo.readState('customer');
    const { body: price } = await api.get('/v1/price/current');
    expectThat(price.sellPaise <= price.buyPaise, 'gold sells for more than it costs');
    const { body: config } = await api.get('/v1/config');
    expectThat(config.gates.checkout === 'OPEN', 'the configuration says that nobody can buy');
    const left = expectPresent(config.dailyBuyRemainingPaise, 'rest of the daily limit');
    const history = await api.get('/v1/price/history', { query: { range: '1d' } });
    const prices = listenToPrices(demo.endpoints.customer, demo.network);
    demo.atEnd(() => prices.close());
    demo.saveState('prices', prices);
    const heard = await until({
      timers: demo.timers,
      seconds: 15,
      look: () => prices.snapshot() ?? prices.ticks()[0],
      isThere: (tick) => tick !== undefined,
      otherwise: () => 'the price feed says nothing',
    });
    const { buyPaise, sellPaise, spotPaise } = price;
    return [
      `a gram costs ${showPaise(buyPaise)} before tax, sells for ${showPaise(sellPaise)},` +
        ` spot ${showPaise(spotPaise)}`,
      `a client reads what it may do at /config: ${showPaise(left)} are left to buy for today`,
      `${history.body.items.length} prices in the last day; the socket's first word is` +
        ` tick ${heard?.seq ?? ''}`,
    ];
  },
};
