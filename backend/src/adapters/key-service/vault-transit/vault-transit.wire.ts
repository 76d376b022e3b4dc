import { z } from 'zod';
import { bindingOf } from '../port.ts';

/*
 * Vault's HTTP API, "Transit secrets engine": POST /v1/:mount/encrypt/:key and decrypt/:key with
 * base64 texts. `associated_data` is authenticated and not stored. 503 is a sealed or standby Vault.
 */

export type TransitOperation = 'encrypt' | 'decrypt';

export const transitPath = (mount: string, operation: TransitOperation, key: string): string =>
  `/v1/${mount}/${operation}/${key}`;

/**
 * Vault Proxy requires `x-vault-request`, so that no browser can be tricked into sending the
 * request.
 */
export const requestHeaders = (token: string | undefined): Readonly<Record<string, string>> => ({
  'x-vault-request': 'true',
  ...(token !== undefined && { 'x-vault-token': token }),
});

const associatedData = (id: string): string =>
  Buffer.from(JSON.stringify(bindingOf(id))).toString('base64');

export const encryptBody = (id: string, bytes: Buffer) => ({
  plaintext: bytes.toString('base64'),
  associated_data: associatedData(id),
});

export const encryptAnswer = z.object({
  data: z.object({ ciphertext: z.string().startsWith('vault:') }),
});

export const decryptBody = (id: string, ciphertext: string) => ({
  ciphertext,
  associated_data: associatedData(id),
});

export const decryptAnswer = z.object({ data: z.object({ plaintext: z.base64() }) });
