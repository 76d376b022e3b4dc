export {
  createBlindIndex,
  constantTimeEqual,
  hashToken,
  keyedHash,
  type BlindIndex,
} from './hashes.ts';
export {
  addWrappingKey,
  createKeptKeyring,
  KeysUnavailableError,
  type KeyWrapping,
} from './kept-keyring.ts';
export { parseKeyList, parseKeyring, type Keyring } from './keyring.ts';
export {
  resealHashes,
  createSecretHasher,
  type PasswordCaller,
  type SecretHasher,
} from './secret-hasher.ts';
export { SealError } from './sealing.ts';
export {
  createWrappingKeyStore,
  isWrappingKeyId,
  type WrappingKeyStore,
} from './wrapping-key-store.ts';
export { createVault, DataKeyDestroyedError, type Sealer, type Vault } from './vault.ts';
export { countSealedByOther, resealColumn, type SealedColumn } from './reseal-sealed.ts';
