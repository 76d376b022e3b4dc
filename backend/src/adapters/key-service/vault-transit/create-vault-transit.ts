import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpResponse,
} from '../../../platform/http-client/index.ts';
import { mapDone, refused, type Outcome } from '../../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../../adapter-deps.ts';
import { KEY_REFUSED, type KeyService } from '../port.ts';
import type { VaultTransitConfig } from './vault-transit.config.ts';
import * as wire from './vault-transit.wire.ts';

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
    headers: wire.requestHeaders(token),
  });
  const call = async <T>(
    operation: wire.TransitOperation,
    json: object,
    schema: z.ZodType<T>,
  ): Promise<Outcome<T>> => {
    const path = wire.transitPath(mount, operation, key);
    const sent = await client.request({ operation, method: 'POST', path, json, safe: true });
    return sent.kind === 'done' ? readAnswer(sent.value, schema, readRefusal) : sent;
  };
  return {
    code: 'vault-transit',
    async wrap(id, bytes) {
      const answer = await call('encrypt', wire.encryptBody(id, bytes), wire.encryptAnswer);
      return mapDone(answer, ({ data }) => data.ciphertext);
    },
    async unwrap(id, ciphertext) {
      const answer = await call('decrypt', wire.decryptBody(id, ciphertext), wire.decryptAnswer);
      return mapDone(answer, ({ data }) => Buffer.from(data.plaintext, 'base64'));
    },
    close: () => client.close(),
  };
};
