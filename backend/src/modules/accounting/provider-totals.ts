import { addGrams, formatGrams, gramsFromDatabase } from '../../money/index.ts';
import {
  noProviderFigures,
  type ProviderFigures,
  type SideFigures,
} from './provider-days.read-model.ts';

const plus = (a: string, b: string): string =>
  formatGrams(addGrams(gramsFromDatabase(a), gramsFromDatabase(b)));

const addSides = (a: SideFigures, b: SideFigures): SideFigures => ({
  buys: a.buys + b.buys,
  boughtGrams: plus(a.boughtGrams, b.boughtGrams),
  boughtPaise: a.boughtPaise + b.boughtPaise,
  sells: a.sells + b.sells,
  soldGrams: plus(a.soldGrams, b.soldGrams),
  soldPaise: a.soldPaise + b.soldPaise,
});

/** Adds up the figures of days. */
export const addProviderFigures = (days: Iterable<ProviderFigures>): ProviderFigures => {
  let total = noProviderFigures;
  for (const day of days) {
    total = {
      orders: addSides(total.orders, day.orders),
      provider: addSides(total.provider, day.provider),
      differences: addSides(total.differences, day.differences),
      house: {
        forfeitedGrams: plus(total.house.forfeitedGrams, day.house.forfeitedGrams),
        recoveredGrams: plus(total.house.recoveredGrams, day.house.recoveredGrams),
        priceDifferencePaise: total.house.priceDifferencePaise + day.house.priceDifferencePaise,
      },
    };
  }
  return total;
};
