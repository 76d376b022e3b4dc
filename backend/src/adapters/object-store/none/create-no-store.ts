import { done, refused } from '../../../platform/outcome/outcome.ts';
import type { ObjectStore } from '../port.ts';

/** The refusal of every call, since no store is configured. */
const NO_OBJECT_STORE = 'NO_OBJECT_STORE';

/**
 * Creates the store of an installation without one (contract: collaborators > Adapters): it takes
 * no object and has none, so uploads are refused and nothing is found.
 */
export const createNoStore = (): ObjectStore => ({
  code: 'none',
  put: async () => refused(NO_OBJECT_STORE, 'this installation has no object store'),
  get: async () => done(undefined),
  head: async () => done(undefined),
  delete: async () => done(undefined),
});
