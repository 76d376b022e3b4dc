import { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { bindingOf, KEY_REFUSED, type KeyService } from '../port.ts';
import type { VaultTransitConfig } from './vault-transit.config.ts';

/*
 * Vault's HTTP API, "Transit secrets engine": POST /v1/:mount/encrypt/:key and decrypt/:key with
 * base64 texts. `associated_data` is authenticated and not stored. 503 is a sealed or standby Vault.
 */

const encrypted = z.object({ data: z.object({ ciphertext: z.string().startsWith('vault:') }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) });

const associatedData = (id: string): string =>
  Buffer.from(JSON.stringify(bindingOf(id))).toString('base64');

const readRefusal = ({ status }: HttpResponse): Outcome<never> | undefined =>
  status >= 400 && status < 500
    ? refused(KEY_REFUSED, `Vault refused the key: ${status}`)
    : undefined;

/** Creates Vault's transit engine as the key service (contract: collaborators > Adapters). */
export const createVaultTransit = (
  config: VaultTransitConfig,
  deps: AdapterDeps,
): KeyService & Closable => {
  const { VAULT_TOKEN: token, VAULT_TRANSIT_MOUNT: mount, VAULT_TRANSIT_KEY: key } = config;
  const client = createHttpClient({
    ...deps,
    name: 'vault-transit',
    baseUrl: config.VAULT_BASE_URL,
    timeoutMs: config.VAULT_TIMEOUT_MS,
    headers: {
      // Vault Proxy requires this header, so that no browser can be tricked into sending the
      // request.
      'x-vault-request': 'true',
      ...(token !== undefined && { 'x-vault-token': token }),
    },
  });
  const call = async <T>(
    operation: 'encrypt' | 'decrypt',
    json: object,
    schema: z.ZodType<T>,
  ): Promise<Outcome<T>> => {
    const path = `/v1/${mount}/${operation}/${key}`;
    const sent = await client.request({ operation, method: 'POST', path, json, safe: true });
    return sent.kind === 'done' ? readAnswer(sent.value, schema, readRefusal) : sent;
  };
  return {
    code: 'vault-transit',
    async wrap(id, bytes) {
      const input = { plaintext: bytes.toString('base64'), associated_data: associatedData(id) };
      return mapDone(await call('encrypt', input, encrypted), ({ data }) => data.ciphertext);
    },
    async unwrap(id, ciphertext) {
      const input = { ciphertext, associated_data: associatedData(id) };
      const answer = await call('decrypt', input, decrypted);
      return mapDone(answer, ({ data }) => Buffer.from(data.plaintext, 'base64'));
    },
    close: () => client.close(),
  };
};
