import type { Clock } from '../../../../platform/clock/clock.ts';
import type { PriceSource } from './price-source.ts';
import type { SafegoldStore } from './safegold-store.ts';

/** What SafeGold's operations work with. */
export interface SafegoldContext {
  readonly store: SafegoldStore;
  readonly prices: PriceSource;
  /** The movable clock: rates and transactions age by it. */
  readonly clock: Clock;
  /** Whether buy-verify enforces the 30 g and 50 g thresholds (page kyc-information-1). */
  readonly enforcesKycLimits: boolean;
}
