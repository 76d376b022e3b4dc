import type { Db } from '../../platform/db/index.ts';
import type { Purge } from '../../platform/jobs/index.ts';
import { forgetOldKeys } from './product-orders.store.ts';

/** Creates the purge of the keys of orders, with which the hashes of their payloads go. */
export const createProductOrderKeyPurge = ({ db }: { readonly db: Db }): Purge => ({
  name: 'purge-product-order-keys',
  deleteBatch: (limit) => forgetOldKeys(db, limit),
});
