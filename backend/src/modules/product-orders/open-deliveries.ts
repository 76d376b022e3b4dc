import { addPaise, formatRupees, paise, toSafePaise, type Paise } from '../../money/index.ts';
import { lockText, selectOne, sql, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Metrics } from '../../platform/observability/index.ts';
import type { Limits } from '../settings/index.ts';

/** Returns the number and the total of a customer's orders that are not delivered, cancelled or returned. */
const totalOpenDeliveries = async (
  tx: Db,
  userId: string,
): Promise<{ readonly count: number; readonly totalPaise: Paise }> => {
  const row = await selectOne<{ count: number; totalPaise: bigint }>(
    tx,
    sql`
      SELECT count(*)::int AS count, coalesce(sum(total_paise), 0)::bigint AS "totalPaise"
      FROM product_order
      WHERE user_id = ${userId}::uuid AND status NOT IN ('DELIVERED', 'CANCELLED', 'RETURNED')`,
  );
  invariant(row, 'an aggregate query returns one row');
  return { count: row.count, totalPaise: paise(row.totalPaise) };
};

interface DeliveryLimitDeps {
  readonly maxOpenDeliveries: number;
  readonly metrics: Pick<Metrics, 'countBoundReached'>;
}

/**
 * Requires that a new order keeps within the customer's limits of open deliveries. The limits exist
 * because open orders are not paid yet, so the house bears their risk. Takes an advisory lock
 * for the customer's product orders until the transaction ends, so that concurrent orders are
 * serialised and count each other.
 * @throws AppError LIMIT_EXCEEDED with the limit in its details
 */
export const requireDeliveryLimits = async (
  { maxOpenDeliveries, metrics }: DeliveryLimitDeps,
  tx: Db,
  order: { readonly userId: string; readonly totalPaise: Paise },
  { maxOpenDeliveryPaise }: Pick<Limits, 'maxOpenDeliveryPaise'>,
): Promise<void> => {
  await lockText(tx, `product-orders|${order.userId}`);
  const openDeliveries = await totalOpenDeliveries(tx, order.userId);
  if (openDeliveries.count >= maxOpenDeliveries) {
    metrics.countBoundReached('open_deliveries');
    throw new AppError('LIMIT_EXCEEDED', {
      message:
        `You can have at most ${maxOpenDeliveries} orders on their way. Nothing was ordered. ` +
        'Please try again once one has been delivered.',
      details: { limit: 'openDeliveries', most: maxOpenDeliveries },
    });
  }
  if (addPaise(openDeliveries.totalPaise, order.totalPaise) <= maxOpenDeliveryPaise) return;
  metrics.countBoundReached('open_deliveries');
  throw new AppError('LIMIT_EXCEEDED', {
    message:
      `Your undelivered orders can total at most INR ${formatRupees(maxOpenDeliveryPaise)}. ` +
      'Nothing was ordered. Please order less, or try again once one has been delivered.',
    details: {
      limit: 'maxOpenDeliveryPaise',
      limitPaise: toSafePaise(maxOpenDeliveryPaise),
    },
  });
};
