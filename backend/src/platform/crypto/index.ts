export { createBlindIndex, type BlindIndex } from './blind-index.ts';
export { createDataKeyCache, type DataKeyCache } from './data-key-cache.ts';
export { createDataKeyStore, type DataKeyStore } from './data-key-store.ts';
export { parseKeyring, type Keyring } from './keyring.ts';
export { SealError, type SealContext } from './sealing.ts';
export { createSecretHasher, type SecretHasher } from './secret-hasher.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
export { constantTimeEqual, hashToken, keyedHash } from './token-hash.ts';
export {
  createVault,
  DataKeyDestroyedError,
  type Sealer,
  type ServiceSealer,
  type Vault,
} from './vault.ts';
