import type { Redis } from 'ioredis';

/**
 * Writes a price to Redis under the key that earlier versions cached it by, as somebody who may
 * write to Redis would.
 */
export const forgePrice = async (
  redis: Pick<Redis, 'set'>,
  { perGramPaise, asOf }: { readonly perGramPaise: number; readonly asOf: Date },
): Promise<void> => {
  const price = String(perGramPaise);
  const entry = {
    buyPaise: price,
    sellPaise: price,
    spotPaise: price,
    providerBuyPaise: price,
    providerSellPaise: price,
    providerTaxBps: '300',
    buyRateId: '1',
    sellRateId: '2',
    ratesValidUntil: '2999-01-01T00:00:00.000Z',
    asOf: asOf.toISOString(),
  };
  await redis.set('price:live', JSON.stringify(entry));
};
