import { selectOne, sql, type Db } from '../../platform/db/index.ts';

/**
 * Returns true while anything of the customer's is not finished (contract: identity-and-kyc >
 * Deletion). It reads the tables of the modules that own them, in one statement; with the user
 * locked nothing new can begin meanwhile.
 */
export const hasWorkInProgress = async (tx: Db, userId: string, now: Date): Promise<boolean> => {
  const row = await selectOne<{ busy: boolean }>(
    tx,
    sql`
      SELECT
        -- A FAILED purchase can still be paid while its price lock stands.
        EXISTS (SELECT FROM gold_order o WHERE o.user_id = ${userId}::uuid AND (
          o.status NOT IN ('ALLOCATED', 'COMPLETED', 'FAILED')
          OR (o.status = 'FAILED' AND o.type <> 'SELL' AND o.lock_ends_at > ${now}::timestamptz)))
        -- A checkout that is open, or a debit that the gateway has not decided.
        OR EXISTS (SELECT FROM payment_order p WHERE p.user_id = ${userId}::uuid AND (
          p.status IN ('CREATED', 'GATEWAY_ORDER_CREATED')
          OR (p.status IN ('FAILED', 'EXPIRED')
            AND p.debit_status IN ('INTENDED', 'ACCEPTED', 'UNKNOWN'))))
        -- A payout that failed or came back is still owed.
        OR EXISTS (SELECT FROM payout p
          WHERE p.user_id = ${userId}::uuid AND p.status <> 'PAID')
        OR EXISTS (SELECT FROM sip_plan s
          WHERE s.user_id = ${userId}::uuid AND s.status = 'ACTIVE')
        OR EXISTS (SELECT FROM product_order o WHERE o.user_id = ${userId}::uuid
          AND o.status IN ('PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED'))
        -- An accepted event that waits to be applied could not be opened any more.
        OR EXISTS (SELECT FROM webhook_event e
          WHERE e.sealed_for_user_id = ${userId}::uuid AND e.status = 'PENDING') AS busy`,
  );
  return row?.busy === true;
};
