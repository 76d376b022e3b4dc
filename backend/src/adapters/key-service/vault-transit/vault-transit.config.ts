import { z } from 'zod';
import { defineVariables, type Config } from '../../../platform/config/config.ts';
import { httpUrl, integer, secret } from '../../../platform/config/kinds.ts';

const segment = z.string().regex(/^[\w-]{1,64}$/u, 'must be letters, digits, "_" and "-"');

/** The variables of Vault's transit engine. */
export const vaultTransitVariables = defineVariables({
  VAULT_BASE_URL: { schema: httpUrl(), doc: "Vault's address, or that of a Vault Proxy" },
  VAULT_TRANSIT_MOUNT: { schema: segment.default('transit'), doc: 'mount path of the engine' },
  VAULT_TRANSIT_KEY: { schema: segment, doc: 'name of the transit key, of type aes256-gcm96' },
  VAULT_TOKEN: {
    schema: secret(8).optional(),
    doc: 'token that may use the key; not needed behind a Vault Proxy that signs in itself',
    secret: true,
  },
  VAULT_TIMEOUT_MS: {
    schema: integer(5000, 100, 60_000),
    doc: 'limit of one call to Vault in milliseconds',
  },
});

export type VaultTransitConfig = Config<typeof vaultTransitVariables>;
