export {
  createBlindIndex,
  constantTimeEqual,
  hashToken,
  keyedHash,
  type BlindIndex,
} from './hashes.ts';
export { parseKeyList, parseKeyring } from './keyring.ts';
export { resealHashes, createSecretHasher, type SecretHasher } from './secret-hasher.ts';
export { SealError } from './sealing.ts';
export { createVault, DataKeyDestroyedError, type Sealer, type Vault } from './vault.ts';
