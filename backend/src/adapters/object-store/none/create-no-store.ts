import { done, refused } from '../../../platform/outcome/outcome.ts';
import type { ObjectStore } from '../port.ts';

/** The refusal of every call, since no store is configured. */
const NO_OBJECT_STORE = 'NO_OBJECT_STORE';

/**
 * Creates the store of an installation without an object store (contract: collaborators > Adapters).
 * It refuses every object and finds none.
 */
export const createNoStore = (): ObjectStore => ({
  code: 'none',
  put: async () => refused(NO_OBJECT_STORE, 'this installation has no object store'),
  get: async () => done(undefined),
  head: async () => done(undefined),
  delete: async () => done(undefined),
});
