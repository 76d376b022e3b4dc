import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { PortfolioCache } from '../holdings/index.ts';
import type { CheckCodeDeps, OneTimeCodesDeps, SessionsDeps } from '../identity/index.ts';
import type { LivePriceReader } from '../price/index.ts';

export interface AccountDeletionDeps
  extends OneTimeCodesDeps, CheckCodeDeps, Pick<SessionsDeps, 'revocations'> {
  readonly vault: Vault;
  readonly logger: Logger;
  readonly price: Pick<LivePriceReader, 'livePrice'>;
  readonly provider: Pick<GoldProvider, 'rules'>;
  readonly portfolios: Pick<PortfolioCache, 'drop'>;
  /** DELETED_PHONE_COOLDOWN_DAYS */
  readonly coolDownDays: number;
}
