import { payAtCheckout, placeBuy, waitForOrder } from '../buys.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { listenToPrices } from '../price-listener.ts';
import { showGrams, showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

/**
 * Reads the live price and the clients' configuration, and the first message of the feed on a
 * socket.
 */
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
      seconds: 60,
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

/** Requests a quote, whose price the provider has locked for some minutes. */
export const quoteGrams: Step = {
  title: 'A quote for 0.1 g',
  async run(demo) {
    const { api } = demo.readState('customer');
    const body = { unit: 'GRAMS', amount: '0.1' } as const;
    const quote = await expectStatus(201, api.post('/v1/gold/quote', { body }));
    demo.saveState('quote', quote);
    const { goldValuePaise, gstPaise, totalPaise } = quote;
    expectThat(goldValuePaise + gstPaise === totalPaise, 'gold and GST are not the total');
    const { body: again } = await api.get('/v1/gold/quote/{id}', { path: { id: quote.id } });
    expectThat(again.status === 'ACTIVE', `a fresh quote reads ${again.status}`);
    return [
      `${showGrams(quote.grams)} at ${showPaise(quote.pricePerGramPaise)}:` +
        ` ${showPaise(goldValuePaise)} + GST ${showPaise(gstPaise)} = ${showPaise(totalPaise)}`,
      `holds until ${quote.expiresAt}`,
    ];
  },
};

const amount = '1000.50';

/** Creates quote, order and payment order in one call. The order is not paid yet. */
export const buyGold: Step = {
  title: `The customer buys gold for ₹1,000.50`,
  async run(demo) {
    const buyKey = `demo-${demo.random.uuid()}`;
    demo.saveState('buyKey', buyKey);
    const buy = await placeBuy(demo.readState('customer'), { amount, idempotency_key: buyKey });
    demo.saveState('buy', buy);
    const { order, payment } = buy;
    expectThat(order.amount_inr === amount, `the order is for ${order.amount_inr} rupees`);
    expectThat(payment.amount_paise === 100_050, `the checkout asks for ${payment.amount_paise}`);
    const grams = expectPresent(order.grams, 'weight of the order');
    const gold = expectPresent(order.gold_value_paise, 'gold value of the order');
    const rounding = expectPresent(order.rounding_paise, 'rounding of the order');
    const gst = expectPresent(order.gst_paise, 'GST of the order');
    const txId = expectPresent(order.sg_tx_id, "provider's transaction of the order");
    return [
      `order ${order.id}, ${order.status}; the provider's transaction ${txId}`,
      `${showGrams(grams)} for ${showPaise(gold)}` +
        ` (of it ${showPaise(rounding)} rounding) + GST ${showPaise(gst)}`,
      `checkout ${buy.gatewayOrderId} asks for ${showPaise(payment.amount_paise)}`,
    ];
  },
};

/** A request whose answer was lost is repeated with the same key, and nothing is bought twice. */
export const repeatBuy: Step = {
  title: 'The same request again buys nothing more',
  async run(demo) {
    const { api } = demo.readState('customer');
    const idempotency_key = demo.readState('buyKey');
    const buy = (amount: string) =>
      api.post('/v1/gold/buy', { body: { unit: 'INR', amount, idempotency_key } });
    const { status, body, headers } = await buy('1000.50');
    expectThat(status === 200, `the repeat answered ${status}, not 200`);
    const isSame = body.order.id === demo.readState('buy').order.id;
    expectThat(isSame, `the repeat answered another order, ${body.order.id}`);
    expectThat(headers.get('idempotent-replayed') === 'true', 'the repeat was not called one');
    await expectRefusal(409, 'IDEMPOTENCY_KEY_REUSED', buy('2000'));
    return [
      `the same order with 200 and "idempotent-replayed: true"`,
      'the key with another amount is refused: 409 IDEMPOTENCY_KEY_REUSED',
    ];
  },
};

/** The gateway reports each event twice. The worker buys the gold at the provider once. */
export const payAndAllocate: Step = {
  title: 'The customer pays, and the gold is allocated',
  async run(demo) {
    const customer = demo.readState('customer');
    const { order, payment, gatewayOrderId } = demo.readState('buy');
    const paid = await payAtCheckout(demo, gatewayOrderId, { deliver: 'duplicate' });
    const allocated = await waitForOrder(demo, customer, order.id, 'ALLOCATED');
    const path = { id: payment.id };
    const { body } = await customer.api.get('/v1/payments/orders/{id}', { path });
    expectThat(body.status === 'PAID', `the payment order reads ${body.status}`);
    const grams = expectPresent(allocated.grams, 'weight of the allocated order');
    expectThat(grams === order.grams, `allocated are ${grams} g`);
    return [
      `payment ${paid.gateway_payment_id} of ${showPaise(payment.amount_paise)} captured;` +
        ' every webhook came twice',
      `PENDING -> PAID -> ALLOCATED: ${showGrams(grams)}`,
    ];
  },
};

/** Creates the payment order of the quote. A second payment order for the same quote is refused. */
const payForQuote = async (demo: Demo) => {
  const { api } = demo.readState('customer');
  const { id: quote_id, totalPaise } = demo.readState('quote');
  const order = () =>
    api.post('/v1/payments/orders', {
      body: {
        quote_id,
        idempotency_key: `demo-${demo.random.uuid()}`,
        method: 'upi',
        terms_accepted: true,
      },
    });
  const payment = await expectStatus(201, order());
  expectThat(payment.amount_paise === totalPaise, `it asks for ${payment.amount_paise} paise`);
  await expectRefusal(409, 'QUOTE_USED', order());
  return payment;
};

/**
 * Buys in the second way, with a quote, a payment order, and the checkout's answer that the client
 * verifies.
 */
export const payQuote: Step = {
  title: 'The second way: the quote is paid for, and no webhook comes',
  async run(demo) {
    const customer = demo.readState('customer');
    const payment = await payForQuote(demo);
    const gateway_order_id = payment.checkout?.gateway_order_id ?? '';
    const paid = await payAtCheckout(demo, gateway_order_id, { deliver: 'none' });
    const { gateway_payment_id, signature } = paid;
    const verify = (claimed: string) =>
      customer.api.post('/v1/payments/orders/{id}/verify', {
        path: { id: payment.id },
        body: { gateway_order_id, gateway_payment_id, signature: claimed },
      });
    const madeUp = '0'.repeat(signature.length);
    await expectRefusal(400, 'SIGNATURE_MISMATCH', verify(madeUp));
    const { body } = await verify(signature);
    expectThat(body.verified, 'the payment is not verified');
    expectThat(body.payment.status === 'PAID', `the payment order reads ${body.payment.status}`);
    const order = await waitForOrder(demo, customer, payment.order_id, 'ALLOCATED');
    demo.saveState('secondOrder', order);
    const grams = expectPresent(order.grams, 'weight of the allocated order');
    return [
      'another order for the same quote is refused: 409 QUOTE_USED',
      'a made-up signature is refused: 400 SIGNATURE_MISMATCH',
      `the true one: the gateway is asked, confirms ${showPaise(payment.amount_paise)},` +
        ` and ${showGrams(grams)} are allocated`,
    ];
  },
};

/**
 * Waits for a tick. Ticks are sent at the wall clock's 10 s marks, so this takes up to 10 s, or 20
 * s if the next tick is the snapshot's.
 */
export const hearTick: Step = {
  title: 'A tick of the price feed',
  async run(demo) {
    const prices = demo.readState('prices');
    // The snapshot's own tick may also be sent just after the snapshot.
    const known = prices.snapshot()?.seq ?? 0;
    const [tick] = await until({
      timers: demo.timers,
      seconds: 60,
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
