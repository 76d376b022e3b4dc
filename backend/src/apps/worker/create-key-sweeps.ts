import type { Logger } from '../../platform/observability/index.ts';
import {
  countOutdatedValues,
  rotateKeyring,
  type KeyringDeps,
  type OutdatedValues,
} from '../../runtime/rotate-keyring.ts';
import { resealPortalPasswords } from '../../modules/accounting/index.ts';
import { resealAdminPasswords } from '../../modules/admins/index.ts';
import { renewIdentityKeyed } from '../../modules/identity/index.ts';
import type { BlindIndex, SecretHasher } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';

/**
 * Creates the pass that moves values to a new first key of PII_KEYRING (see `rotateKeyring`).
 * Without a new key, a pass changes nothing.
 */
export const createKeyringRotation =
  (
    deps: KeyringDeps & {
      readonly logger: Pick<Logger, 'info'>;
      readonly keyringMetrics: { observe(outdated: OutdatedValues): void };
    },
  ) =>
  async (signal: AbortSignal): Promise<void> => {
    const changed = await rotateKeyring(deps, signal);
    if (Object.values(changed).some((count) => count > 0)) {
      deps.logger.info(changed, 'values moved to the current key of the keyring');
    }
    deps.keyringMetrics.observe(await countOutdatedValues(deps));
  };

/**
 * Creates the pass that follows a new first key in CREDENTIAL_PEPPER or BLIND_INDEX_KEY. It seals
 * passwords and MPINs again and hashes phones again. Without a new key, a pass changes nothing.
 */
export const createKeyedRenewal =
  (deps: {
    readonly db: Db;
    readonly blindIndex: BlindIndex;
    readonly hasher: Pick<SecretHasher, 'currentPrefix' | 'reseal'>;
    readonly logger: Pick<Logger, 'info'>;
  }) =>
  async (signal: AbortSignal): Promise<void> => {
    let count = await renewIdentityKeyed(deps, signal);
    count += await resealAdminPasswords(deps, signal);
    count += await resealPortalPasswords(deps, signal);
    if (count > 0) deps.logger.info({ count }, 'values renewed with the current keys');
  };
