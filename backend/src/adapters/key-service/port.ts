import type { KeyWrapping } from '../../platform/crypto/index.ts';

/**
 * The service refused to wrap or unwrap, because the key is disabled or deleted, or has not wrapped
 * the given bytes for this use.
 */
export const KEY_REFUSED = 'KEY_REFUSED';

/** Returns the binding of a wrapped key to its use. The service unwraps it only with the same id. */
export const bindingOf = (id: string) => ({ purpose: 'digital-gold/wrapping-key', id });

/** A service that wraps keys by its own key, which never leaves it. */
export interface KeyService extends KeyWrapping {
  readonly code: string;
}
