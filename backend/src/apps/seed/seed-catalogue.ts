import type { Runtime } from '../../runtime/create-runtime.ts';

interface SeedProduct {
  readonly name: string;
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
    category: 'coins',
    purityKarat: 24,
    weightGrams: '1',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 300,
    pricePaise: 1_271_500n,
  },
  {
    name: 'Gold coin, 5 g',
    category: 'coins',
    purityKarat: 24,
    weightGrams: '5',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 250,
    pricePaise: 6_327_000n,
  },
  {
    name: 'Plain band ring',
    category: 'rings',
    purityKarat: 22,
    weightGrams: '3.2',
    pricingMode: 'DYNAMIC',
    makingChargeBps: 1200,
    pricePaise: 4_055_000n,
  },
  {
    name: 'Temple pendant',
    category: 'pendants',
    purityKarat: 22,
    weightGrams: '2.45',
    pricingMode: 'FIXED',
    makingChargeBps: 0,
    pricePaise: 3_499_900n,
  },
];

/** Adds a small catalogue, where there is none. */
export const seedCatalogue = async ({ database, clock, random }: Runtime): Promise<void> => {
  if ((await database.db.product.count()) > 0) return;
  const at = clock.now();
  await database.db.product.createMany({
    data: products.map((product) => ({
      ...product,
      id: random.uuid(),
      description: null,
      createdAt: at,
      updatedAt: at,
    })),
  });
};
