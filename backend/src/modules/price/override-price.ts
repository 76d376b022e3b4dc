import { fromSafePaise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { PriceOverride } from './price.schemas.ts';
import { insertManualPrice } from './price.store.ts';

export interface OverridePriceDeps {
  readonly inTransaction: InTransaction;
  readonly audit: Auditor;
  readonly random: Random;
  /** Real time, as for every price. */
  readonly wall: Clock;
}

/**
 * Records the price that an operator asked for, with the audit row in the same transaction. It is a
 * record and nothing else: no reader of prices looks at it (contract: price > Spread and override).
 */
export const recordOverride = (
  { inTransaction, audit, random, wall }: OverridePriceDeps,
  { reason, ...prices }: PriceOverride,
  { principal, context }: ByOperator,
): Promise<void> =>
  inTransaction(async (tx) => {
    const id = random.uuid();
    await insertManualPrice(tx, {
      id,
      buyPaise: fromSafePaise(prices.buyPaise),
      sellPaise: fromSafePaise(prices.sellPaise),
      spotPaise: fromSafePaise(prices.spotPaise),
      actorId: principal.adminId,
      at: wall.now(),
    });
    await audit.record(tx, {
      action: 'price.override',
      ...adminActor(principal, context),
      target: { type: 'price_snapshot', id },
      after: prices,
      sealed: { after: { reason } },
    });
  });
