import type { ObjectStore } from '../../adapters/object-store/port.ts';
import { putImage } from '../../modules/catalogue/index.ts';
import type { Runtime } from '../../runtime/create-runtime.ts';
import { drawProduct } from './product-art.ts';

interface SeedProduct {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly purityKarat: number;
  readonly weightGrams: string;
  readonly pricingMode: 'FIXED' | 'DYNAMIC';
  readonly makingChargeBps: number;
  readonly pricePaise: bigint;
}

const products: readonly SeedProduct[] = [
  {
    name: 'Gold coin, 1 g',
    description:
      'A coin of one gram with a lotus, in a sealed card that states its weight and its purity.',
    category: 'coins',
    purityKarat: 24,
    weightGrams: '1',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 300,
    pricePaise: 1_271_500n,
  },
  {
    name: 'Gold coin, 5 g',
    description:
      'A coin of five grams with a lotus, in a sealed card that states its weight and its purity.',
    category: 'coins',
    purityKarat: 24,
    weightGrams: '5',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 250,
    pricePaise: 6_327_000n,
  },
  {
    name: 'Plain band ring',
    description: 'A plain, polished band with a comfortable inner curve, for every day.',
    category: 'rings',
    purityKarat: 22,
    weightGrams: '3.2',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 1200,
    pricePaise: 4_055_000n,
  },
  {
    name: 'Temple pendant',
    description: "A pendant in the form of a temple's tower, set with one red stone. No chain.",
    category: 'pendants',
    purityKarat: 22,
    weightGrams: '2.45',
    pricingMode: 'FIXED',
    makingChargeBps: 0,
    pricePaise: 3_499_900n,
  },
];

/** Adds a small catalogue if there is none, and descriptions to products of an earlier seed. */
const addProducts = async ({ database, clock, random }: Runtime): Promise<void> => {
  const { db } = database;
  const now = clock.now();
  if ((await db.product.count()) === 0) {
    await db.product.createMany({
      data: products.map((product) => ({
        ...product,
        id: random.uuid(),
        createdAt: now,
        updatedAt: now,
      })),
    });
    return;
  }
  for (const { name, description } of products) {
    const where = { name, description: null };
    await db.product.updateMany({ where, data: { description, updatedAt: now } });
  }
};

/** Draws an image of each product of the seed that has none, and stores it like an upload. */
const addImages = async (runtime: Runtime, objects: ObjectStore): Promise<void> => {
  const { db, inTransaction } = runtime.database;
  const deps = { ...runtime, db, inTransaction, objects };
  const names = products.map(({ name }) => name);
  const withoutImage = await db.product.findMany({
    where: { name: { in: names }, imageKey: null },
    select: { id: true, name: true },
  });
  for (const { id, name } of withoutImage) {
    const image = await drawProduct(name);
    if (image !== undefined) await putImage(deps, id, image, async () => {});
  }
};

export const seedCatalogue = async (runtime: Runtime, objects: ObjectStore): Promise<void> => {
  await addProducts(runtime);
  await addImages(runtime, objects);
};
