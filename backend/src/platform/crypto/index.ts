export { createBlindIndex, type BlindIndex } from './blind-index.ts';
export { parseKeyList, parseKeyring } from './keyring.ts';
export { resealHashes, createSecretHasher, type SecretHasher } from './secret-hasher.ts';
export { SealError } from './sealing.ts';
export { constantTimeEqual, hashToken, keyedHash } from './token-hash.ts';
export { createVault, DataKeyDestroyedError, type Sealer, type Vault } from './vault.ts';
