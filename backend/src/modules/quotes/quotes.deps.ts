import type { GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Bps } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { LivePriceReader } from '../price/index.ts';
import type { Limits } from '../settings/index.ts';

/** The mechanics that everything in this module is built on. */
export interface GoldBase {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What a quote asks of the rest of the house. */
export interface QuoteDeps extends GoldBase {
  readonly provider: GoldProvider;
  readonly price: LivePriceReader;
  readonly limits: { current(): Promise<Limits> };
  /** @throws AppError KYC_REQUIRED */
  readonly requireApprovedKyc: (db: Db, userId: string) => Promise<void>;
  readonly findUser: (
    db: Db,
    userId: string,
  ) => Promise<{ readonly providerUserId: string | null } | undefined>;
  readonly gstRateBpsOn: (db: Db, at: Date) => Promise<Bps>;
}
