import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { bodyEncryption } from './safegold.wire.ts';

const ivBytes = 16;

interface BodyCipher {
  seal(text: string): string;
  /** Returns undefined for a text that was not sealed with this token. */
  open(text: string): string | undefined;
}

/**
 * Creates the cipher of whole bodies (apis-overview-authorization). It is AES-256-CBC with PKCS7
 * padding and a random IV for each message. The key is the 32 hex characters of the token's MD5.
 */
export const createBodyCipher = (token: string): BodyCipher => {
  // The provider prescribes MD5. The key is as strong as the token.
  const key = Buffer.from(createHash('md5').update(token).digest('hex'), 'ascii');
  const { cipher, encoding } = bodyEncryption;
  return {
    seal(text) {
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, key, iv);
      return Buffer.concat([iv, sealing.update(text, 'utf8'), sealing.final()]).toString(encoding);
    },
    open(text) {
      const bytes = Buffer.from(text, encoding);
      if (bytes.length <= ivBytes) return undefined;
      try {
        const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes));
        const parts = [opening.update(bytes.subarray(ivBytes)), opening.final()];
        return Buffer.concat(parts).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
};
