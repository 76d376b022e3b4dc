import type { Route } from '../../platform/http/index.ts';
import type { Sweep } from '../../platform/jobs/index.ts';
import { createSellingRoutes } from './selling.customer.routes.ts';
import { createSellingSweeps } from './selling.sweeps.ts';
import type { SellingOptions } from './selling.types.ts';

export interface Selling {
  /** `POST /gold/sell`. */
  readonly customerRoutes: Route[];
  readonly sweeps: readonly Sweep[];
}

/** Wires selling: the use case behind `POST /gold/sell`, and the sweeps over sales left open. */
export const createSelling = (options: SellingOptions): Selling => ({
  customerRoutes: createSellingRoutes(options),
  sweeps: createSellingSweeps(options),
});
