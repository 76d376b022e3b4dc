import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { LivePrice, LivePriceReader } from '../price/index.ts';

/**
 * A price whose rates can still be verified by business time, which may have been moved.
 * @throws AppError PRICE_UNAVAILABLE
 */
export const verifiablePrice = async (deps: {
  readonly price: LivePriceReader;
  readonly clock: Clock;
}): Promise<LivePrice> => {
  const live = await deps.price.livePrice();
  return live.ratesValidUntil > deps.clock.now() ? live : deps.price.freshPrice();
};

/**
 * Returns the provider's id of the customer.
 * @throws AppError KYC_REQUIRED
 */
export const requireProviderUser = async (
  deps: {
    readonly db: Db;
    readonly requireApprovedKyc: (db: Db, userId: string) => Promise<void>;
    readonly findUser: (
      db: Db,
      userId: string,
    ) => Promise<{ readonly providerUserId: string | null } | undefined>;
  },
  userId: string,
): Promise<string> => {
  const [user] = await Promise.all([
    deps.findUser(deps.db, userId),
    deps.requireApprovedKyc(deps.db, userId),
  ]);
  // Approval registers with the provider first, so whoever is approved has an id there.
  const id = user?.providerUserId ?? null;
  if (id === null) throw new AppError('KYC_REQUIRED');
  return id;
};
