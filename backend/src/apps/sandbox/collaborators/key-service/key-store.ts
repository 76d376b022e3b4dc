import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { CollaboratorStore } from '../../core/collaborator.ts';

interface KeyVersion {
  readonly version: number;
  /** 32 bytes as base64. */
  readonly key: string;
}

/** Stores one symmetric key in versions. The key never leaves the store. */
export interface KeyStore extends CollaboratorStore {
  /** Returns the version that encrypted, and the ciphertext. */
  encrypt(plaintext: Buffer, context: string): { version: number; ciphertext: Buffer };
  /**
   * Returns the plaintext, or undefined for another key's ciphertext, a changed ciphertext or
   * another context.
   */
  decrypt(version: number, ciphertext: Buffer, context: string): Buffer | undefined;
  /** Adds a version, which encrypts from then on. */
  rotate(): void;
}

const ivLength = 12;
const tagLength = 16;

const makeVersion = (version: number): KeyVersion => ({
  version,
  key: randomBytes(32).toString('base64'),
});

/** Creates the key of a simulated key service: AES-256-GCM, with the context authenticated. */
export const createKeyStore = (changed: () => void): KeyStore => {
  let versions: readonly KeyVersion[] = [makeVersion(1)];
  const newest = (): KeyVersion => versions.at(-1) ?? makeVersion(1);
  return {
    encrypt(plaintext, context) {
      const { version, key } = newest();
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), iv);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return { version, ciphertext: Buffer.concat([iv, cipher.getAuthTag(), body]) };
    },
    decrypt(version, ciphertext, context) {
      const found = versions.find((each) => each.version === version);
      if (found === undefined || ciphertext.length < ivLength + tagLength) return undefined;
      const key = Buffer.from(found.key, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, ciphertext.subarray(0, ivLength));
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(ciphertext.subarray(ivLength, ivLength + tagLength));
      try {
        const body = decipher.update(ciphertext.subarray(ivLength + tagLength));
        return Buffer.concat([body, decipher.final()]);
      } catch {
        return undefined;
      }
    },
    rotate() {
      versions = [...versions, makeVersion(newest().version + 1)];
      changed();
    },
    save: () => versions,
    load(saved) {
      // The value was written by `save` in this or an earlier process.
      versions = saved as readonly KeyVersion[];
    },
    // A reset of the sandbox keeps the key, since the service's database still contains
    // ciphertexts.
    clear: () => {},
  };
};
