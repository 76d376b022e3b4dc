import type { ObjectStore } from '../../adapters/object-store/port.ts';
import type { Route } from '../../platform/http/index.ts';
import { createCatalogueAdminRoutes } from './catalogue.admin.routes.ts';
import { createCatalogueCustomerRoutes } from './catalogue.customer.routes.ts';
import { createImageRoute, createUploadRoute } from './catalogue.images.routes.ts';
import { createReadRates, type RatesDeps } from './read-rates.ts';
import type { SaveProductDeps } from './save-product.ts';
import { createPageCache } from './page-cache.ts';

/** Wires the catalogue's routes of the customer API. */
export const createCatalogue = (
  deps: RatesDeps & { readonly objects: Pick<ObjectStore, 'get'> },
): { readonly customerRoutes: Route[] } => {
  const pages = createPageCache({ db: deps.db, readRates: createReadRates(deps) });
  return {
    customerRoutes: [
      ...createCatalogueCustomerRoutes({ db: deps.db, pages }),
      createImageRoute(deps),
    ],
  };
};

/** Lets operators wait for a price, since a DYNAMIC product cannot be saved without one. */
const operatorPatienceMs = 8000;

/** Wires the catalogue's routes of the admin API. */
export const createCatalogueAdmin = (
  deps: Omit<SaveProductDeps, 'readRates'> & RatesDeps & { readonly objects: ObjectStore },
): { readonly adminRoutes: Route[] } => {
  const readRates = createReadRates({ patienceMs: operatorPatienceMs, ...deps });
  const routeDeps = { ...deps, readRates };
  return { adminRoutes: [...createCatalogueAdminRoutes(routeDeps), createUploadRoute(routeDeps)] };
};
