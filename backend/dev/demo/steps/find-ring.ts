import { demoDocuments } from '../demo-documents.ts';
import type { Demo, Step } from '../demo.types.ts';
import { showPaise } from '../show.ts';
import { expectThat } from '../step-failure.ts';
import { until } from '../until.ts';

const typed = 'bnad rnig';
const ringName = 'Plain band ring';

/** Returns the rupees of a gram in a purity, half up, by the paise of a gram of 24 karat. */
const rateIn = (karat: number, buyPaise: number): string => {
  const paise = String((BigInt(buyPaise) * BigInt(karat) * 2n + 24n) / 48n);
  return `${paise.slice(0, -2)}.${paise.slice(-2)}`;
};

/** Fetches an image as a browser would, and again with its tag: the second answer has no body. */
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

/** Adds the ring where somebody has taken it out of the shop since the seed. */
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

/** A ring is found though its name is misspelt, looked at, and priced by the live gold price. */
export const findRing: Step = {
  title: 'A ring, found by a misspelt word',
  async run(demo) {
    const { api } = demo.readState('customer');
    const operator = demo.readState('operator').api;
    await offerRing(demo);
    const found = await api.get('/v1/products', { query: { q: typed, limit: 100 } });
    const ring = found.body.items.find(({ name, inStock }) => name === ringName && inStock);
    expectThat(ring !== undefined, `"${typed}" finds no ${ringName}`);
    const path = { id: ring.id };
    const [photo] = demoDocuments;
    await operator.post('/v1/products/{id}/image', { path, body: photo });
    const read = async () => {
      const live = await api.get('/v1/price/current');
      const product = (await api.get('/v1/products/{id}', { path })).body;
      return { product, rate: rateIn(product.purityKarat, live.body.buyPaise) };
    };
    // Between both reads the price may have moved on.
    const { product, rate } = await until({
      timers: demo.timers,
      seconds: 15,
      look: read,
      isThere: (seen) =>
        seen.product.priceBasis === 'LIVE' && seen.product.ratePerGram === seen.rate,
      otherwise: (seen) => `its price is by ${seen.product.ratePerGram ?? ''}, not ${seen.rate}`,
    });
    expectThat(typeof product.imageUrl === 'string', 'it has no image');
    demo.saveState('ring', product);
    return [
      `"${typed}" finds "${product.name}", ${product.weightGrams} g of ${product.purityKarat} karat`,
      await fetchImage(demo, product.imageUrl),
      `by the live price of INR ${rate} a gram in its purity it costs` +
        ` ${showPaise(product.totalPaise)}, GST of ${showPaise(product.gstPaise)} included`,
    ];
  },
};
