import { selectOne, selectRows, sql, type Db } from '../../platform/db/index.ts';
import { offsetOf, type Page } from '../../platform/http/index.ts';
import type { TimelineKind } from './user-timeline.schemas.ts';

interface TimelineRow {
  readonly at: Date;
  readonly kind: TimelineKind;
  readonly data: Record<string, unknown>;
}

/** Selects the events of one customer. `data` identifies rows by their ids and never names a person. */
const entriesOf = (userId: string) => sql`
  SELECT id, created_at AS at, 'order' AS kind, jsonb_build_object('orderId', id, 'type', type,
    'status', status, 'amountPaise', amount_paise) AS data
  FROM gold_order WHERE user_id = ${userId}::uuid
  UNION ALL
  SELECT id, created_at, 'product_order', jsonb_build_object('productOrderId', id,
    'status', status, 'amountPaise', total_paise)
  FROM product_order WHERE user_id = ${userId}::uuid
  UNION ALL
  SELECT id, created_at, 'payment', jsonb_build_object('paymentOrderId', id, 'orderId', order_id,
    'gateway', gateway, 'status', status, 'amountPaise', amount_paise)
  FROM payment_order WHERE user_id = ${userId}::uuid
  UNION ALL
  SELECT id, created_at, 'payout', jsonb_build_object('payoutId', id, 'orderId', order_id,
    'status', status, 'amountPaise', amount_paise)
  FROM payout WHERE user_id = ${userId}::uuid
  UNION ALL
  SELECT id, created_at, 'plan', jsonb_build_object('planId', id, 'event', 'created',
    'amountPaise', amount_paise, 'frequency', frequency)
  FROM sip_plan WHERE user_id = ${userId}::uuid
  UNION ALL
  SELECT id, coalesce(cancelled_at, completed_at), 'plan', jsonb_build_object('planId', id,
    'event', CASE WHEN cancelled_at IS NULL THEN 'completed' ELSE 'cancelled' END,
    'installments', installments_raised)
  FROM sip_plan WHERE user_id = ${userId}::uuid
    AND (cancelled_at IS NOT NULL OR completed_at IS NOT NULL)
  UNION ALL
  SELECT id, at, 'security', jsonb_build_object('event', kind, 'ip', ip, 'deviceId', device_id,
    'count', count)
  FROM security_event WHERE user_id = ${userId}::uuid`;

/** Returns a page of a customer's timeline, newest first, and the number of all its entries. */
export const readUserTimeline = async (
  db: Db,
  userId: string,
  page: Page,
): Promise<{ rows: TimelineRow[]; total: number }> => {
  const [rows, countRow] = await Promise.all([
    selectRows<TimelineRow>(
      db,
      sql`
        SELECT at, kind, data FROM (${entriesOf(userId)}) AS entry
        ORDER BY at DESC, id DESC LIMIT ${page.limit}::int OFFSET ${offsetOf(page)}::int`,
    ),
    selectOne<{ total: number }>(
      db,
      sql`SELECT count(*)::int AS total FROM (${entriesOf(userId)}) AS entry`,
    ),
  ]);
  return { rows, total: countRow?.total ?? 0 };
};
