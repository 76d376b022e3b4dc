import type { KeyWrapping } from '../../platform/crypto/index.ts';

/** The service refused to wrap or unwrap: the key is disabled, gone, or was not used for this. */
export const KEY_REFUSED = 'KEY_REFUSED';

/** Binds a wrapped key to its use: the service unwraps it under the same id alone. */
export const bindingOf = (id: string) => ({ purpose: 'digital-gold/wrapping-key', id });

/** A service that holds a key which never leaves it, and wraps other keys by it. */
export interface KeyService extends KeyWrapping {
  readonly code: string;
}
