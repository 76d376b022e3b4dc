import { createApiClient, type ApiClient, type ApiClientOptions } from './api-client.ts';
import type { components as AdminComponents, paths as AdminPaths } from './generated/admin.ts';
import type {
  components as CustomerComponents,
  paths as CustomerPaths,
} from './generated/customer.ts';

export { createApiClient } from './api-client.ts';
export type { Answer, ApiClient, ApiClientOptions } from './api-client.ts';
export { ApiError, ApiUnreachableError } from './api-error.ts';
export { followPrices } from './price-feed.ts';
export type { PriceEvents, PriceSocket, PriceTick } from './price-feed.ts';
export { mayRepeat, repeatWithKey } from './repeat-with-key.ts';
export type { RepeatOptions } from './repeat-with-key.ts';
export { createCustomerSession } from './session.ts';
export type {
  CustomerSession,
  SessionOptions,
  TokenLock,
  Tokens,
  TokenStorage,
} from './session.ts';

export type CustomerClient = ApiClient<CustomerPaths>;
export type AdminClient = ApiClient<AdminPaths>;

/** The resources of each API by their names in its OpenAPI document. */
export type CustomerSchemas = CustomerComponents['schemas'];
export type AdminSchemas = AdminComponents['schemas'];

/** Creates a client of the customer API. */
export const createCustomerClient = (options: ApiClientOptions): CustomerClient =>
  createApiClient<CustomerPaths>(options);

/** Creates a client of the admin API. */
export const createAdminClient = (options: ApiClientOptions): AdminClient =>
  createApiClient<AdminPaths>(options);
