import type { Logger } from '../../platform/observability/index.ts';
import {
  countOutdatedValues,
  rotateKeyring,
  type KeyringDeps,
  type OutdatedValues,
} from '../../runtime/rotate-keyring.ts';

/** After a new first key in PII_KEYRING: see `rotateKeyring`. Nothing to do in every other round. */
export const createKeyringRotation =
  (
    deps: KeyringDeps & {
      readonly logger: Pick<Logger, 'info'>;
      readonly keyringMetrics: { observe(outdated: OutdatedValues): void };
    },
  ) =>
  async (signal: AbortSignal): Promise<void> => {
    const changed = await rotateKeyring(deps, signal);
    if (changed.dataKeys + changed.webhookBodies + changed.tickets > 0) {
      deps.logger.info(changed, 'values moved to the current key of the keyring');
    }
    deps.keyringMetrics.observe(await countOutdatedValues(deps));
  };
