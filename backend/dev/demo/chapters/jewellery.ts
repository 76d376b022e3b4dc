import type { CustomerSchemas } from '@digital-gold/client';
import { demoDocuments } from '../demo-documents.ts';
import type { Demo, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';
import { showPaise } from '../show.ts';
import { expectPresent, expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

const searchText = 'bnad rnig';
const ringName = 'Plain band ring';

/** Returns the rupees of a gram in a purity, half up, by the paise of a gram of 24 karat. */
const rateIn = (karat: number, buyPaise: number): string => {
  const paise = String((BigInt(buyPaise) * BigInt(karat) * 2n + 24n) / 48n);
  return `${paise.slice(0, -2)}.${paise.slice(-2)}`;
};

/**
 * Fetches an image as a browser would, and again with its tag, which is answered without a body.
 */
const fetchImage = async (demo: Demo, imageUrl: string): Promise<string> => {
  const url = new URL(imageUrl, demo.endpoints.customer);
  const accept = 'image/webp,image/*;q=0.8';
  const first = await demo.network.fetch(new Request(url, { headers: { accept } }));
  const { headers } = first;
  expectThat(headers.get('content-type') === 'image/webp', 'its image is no WebP');
  const day = 'public, max-age=86400';
  expectThat(headers.get('cache-control') === day, 'its image is not cached for a day');
  const condition = { accept, 'if-none-match': headers.get('etag') ?? '' };
  const again = await demo.network.fetch(new Request(url, { headers: condition }));
  expectThat(again.status === 304, `its image is sent again: ${again.status}`);
  return `its image: WebP, ${headers.get('content-length') ?? '?'} bytes; asked for again: 304`;
};

/** Adds the ring if it is no longer in the shop. */
const offerRing = async (demo: Demo): Promise<void> => {
  const operator = demo.readState('operator').api;
  const query = { q: ringName, active: 'true', inStock: 'true', limit: 100 } as const;
  const { body } = await operator.get('/v1/products', { query });
  const isThere = body.items.some(
    ({ name, stock, pricingMode }) =>
      name === ringName && stock === null && pricingMode === 'DYNAMIC',
  );
  if (isThere) return;
  await operator.post('/v1/products', {
    body: {
      name: ringName,
      category: 'rings',
      purityKarat: 22,
      weightGrams: '3.2',
      pricingMode: 'DYNAMIC',
      makingChargePct: 12,
    },
  });
};

/** Finds a ring by a misspelt name, and checks its image and its price by the live gold price. */
export const findRing: Step = {
  title: 'A ring, found by a misspelt word',
  async run(demo) {
    const { api } = demo.readState('customer');
    const operator = demo.readState('operator').api;
    await offerRing(demo);
    const found = await api.get('/v1/products', { query: { q: searchText, limit: 100 } });
    const ring = found.body.items.find(({ name, inStock }) => name === ringName && inStock);
    expectThat(ring !== undefined, `"${searchText}" finds no ${ringName}`);
    const path = { id: ring.id };
    const [photo] = demoDocuments;
    await operator.post('/v1/products/{id}/image', { path, body: photo });
    const read = async () => {
      const live = await api.get('/v1/price/current');
      const product = (await api.get('/v1/products/{id}', { path })).body;
      return { product, rate: rateIn(product.purityKarat, live.body.buyPaise) };
    };
    // The price may change between the two reads.
    const { product, rate } = await until({
      timers: demo.timers,
      seconds: 60,
      look: read,
      isThere: (seen) =>
        seen.product.priceBasis === 'LIVE' && seen.product.ratePerGram === seen.rate,
      otherwise: (seen) => `its price is by ${seen.product.ratePerGram ?? ''}, not ${seen.rate}`,
    });
    expectThat(typeof product.imageUrl === 'string', 'it has no image');
    demo.saveState('ring', product);
    return [
      `"${searchText}" finds "${product.name}", ${product.weightGrams} g of ${product.purityKarat} karat`,
      await fetchImage(demo, product.imageUrl),
      `by the live price of INR ${rate} a gram in its purity it costs` +
        ` ${showPaise(product.totalPaise)}, GST of ${showPaise(product.gstPaise)} included`,
    ];
  },
};

type ProductOrder = CustomerSchemas['ProductOrder'];

/** Places the order twice with one key, and expects one order. */
const placeOnce = async (demo: Demo, productId: string): Promise<ProductOrder> => {
  const { api, fullName, numbers } = demo.readState('customer');
  const body = {
    items: [{ productId, quantity: 1 }],
    shippingAddress: {
      name: fullName,
      phone: numbers.phone,
      line1: '12 MG Road',
      city: 'Bengaluru',
      state: 'Karnataka',
      pincode: '560001',
    },
    idempotencyKey: `demo-${demo.random.uuid()}`,
  };
  const wrong = { ...body, expectedTotal: '1.00' };
  await expectRefusal(409, 'PRICE_CHANGED', api.post('/v1/product-orders', { body: wrong }));
  const order = await expectStatus(201, api.post('/v1/product-orders', { body }));
  const again = await expectStatus(200, api.post('/v1/product-orders', { body }));
  expectThat(again.id === order.id, 'the same key made a second order');
  return order;
};

/** An operator takes the order to the door. A step that is left out is refused. */
const deliver = async (demo: Demo, id: string): Promise<void> => {
  const { api } = demo.readState('operator');
  const setStatus = (status: ProductOrder['status']) =>
    api.patch('/v1/product-orders/{id}/status', { path: { id }, body: { status } });
  await expectRefusal(409, 'ILLEGAL_TRANSITION', setStatus('DELIVERED'));
  for (const status of ['CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED'] as const) {
    const { body } = await setStatus(status);
    expectThat(body.status === status, `the order reads ${body.status}`);
    if (status !== 'PACKED') continue;
    const parcel = { carrier: 'Blue Dart', consignmentNumber: 'BD-7729-0041' };
    await api.put('/v1/product-orders/{id}/shipment', { path: { id }, body: parcel });
  }
};

/** Records the cash that the carrier collected on delivery and pays in. */
const payIn = async (demo: Demo, { id, totalPaise }: ProductOrder): Promise<string> => {
  const { api } = demo.readState('operator');
  const reference = `demo-${demo.random.uuid()}`;
  const record = (amountPaise: number) =>
    api.post('/v1/product-orders/{id}/cash', { path: { id }, body: { amountPaise, reference } });
  for (let time = 0; time < 2; time += 1) {
    const { body } = await record(totalPaise);
    expectThat(body.cashReceivedPaise === totalPaise, 'the cash is not recorded once');
  }
  await expectRefusal(409, 'CONFLICT', record(totalPaise - 1));
  return `the carrier pays ${showPaise(totalPaise)} in: recorded once, by its reference`;
};

/** Shows the parcel as the customer sees it, and that it can't be cancelled any more. */
const follow = async (demo: Demo, id: string): Promise<string> => {
  const { api } = demo.readState('customer');
  const path = { id };
  const { body } = await api.get('/v1/product-orders/{id}', { path });
  const cancel = api.post('/v1/product-orders/{id}/cancel', { path });
  await expectRefusal(409, 'ILLEGAL_TRANSITION', cancel);
  const way = body.history.map(({ status }) => status).join(' -> ');
  return `${way}, with ${body.shipment?.carrier ?? 'nobody'}; too late to cancel: 409`;
};

/** Fetches the invoice of an order as its customer, and shows that it is a PDF of this number. */
const fetchInvoice = async (demo: Demo, id: string): Promise<string> => {
  const { api, accessToken } = demo.readState('customer');
  const { body } = await api.get('/v1/product-orders/{id}', { path: { id } });
  const number = expectPresent(body.invoiceNumber, 'number of the invoice');
  const url = `${demo.endpoints.customer}/v1/product-orders/${id}/invoice`;
  const headers = { authorization: `Bearer ${accessToken}` };
  const answer = await demo.network.fetch(new Request(url, { headers }));
  expectThat(answer.status === 200, `the invoice answers ${answer.status}`);
  const file = Buffer.from(await answer.arrayBuffer());
  expectThat(file.subarray(0, 5).toString('latin1') === '%PDF-', 'the invoice is no PDF');
  const none = api.get('/v1/product-orders/{id}/credit-note', { path: { id } });
  await expectRefusal(404, 'NOT_FOUND', none);
  return `tax invoice ${number}, a PDF of ${file.length} bytes; no credit note: 404`;
};

/** Jewellery, paid on delivery: priced by the live gold price, ordered once, and delivered. */
export const orderJewellery: Step = {
  title: 'The ring is ordered, packed and delivered',
  async run(demo) {
    const order = await placeOnce(demo, demo.readState('ring').id);
    await deliver(demo, order.id);
    const { body } = await demo.readState('customer').api.get('/v1/transactions');
    const row = expectPresent(
      body.items.find(({ id }) => id === order.id),
      'row of the feed',
    );
    expectThat(
      row.kind === 'PRODUCT_ORDER' && row.status === 'DELIVERED',
      `the feed says ${row.kind} ${row.status}`,
    );
    const { itemsTotalPaise, gstPaise, deliveryFeePaise, totalPaise } = order;
    const parts = [itemsTotalPaise, gstPaise, deliveryFeePaise].map(showPaise).join(' + ');
    return [
      'with a total that nobody asked for: 409 PRICE_CHANGED, and the key stays free',
      `${parts} (items, GST, delivery) = ${showPaise(totalPaise)}, cash on delivery`,
      'the same key again is the same order: 200',
      await follow(demo, order.id),
      await payIn(demo, order),
      await fetchInvoice(demo, order.id),
    ];
  },
};
