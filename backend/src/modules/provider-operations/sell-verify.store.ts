import { gramsToDatabase, type Grams } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';

export interface VerifyIntent {
  readonly id: string;
  readonly orderId: string;
  readonly quoteId: string;
  readonly userId: string;
  readonly provider: string;
  readonly grams: Grams;
  readonly at: Date;
}

/**
 * The verify of a sell among the rows of `provider_operation`: one for each, written with the
 * order. Its lease says whether somebody is at it; a lease is a lock, so it runs on the
 * database's own clock.
 */
export const createSellVerifyStore = (db: Db) => ({
  async intend(intent: VerifyIntent): Promise<void> {
    await db.$executeRaw`
      INSERT INTO provider_operation (id, order_id, quote_id, user_id, provider, operation, status,
        grams, started_at, attempts)
      VALUES (${intent.id}::uuid, ${intent.orderId}::uuid, ${intent.quoteId}::uuid,
        ${intent.userId}::uuid, ${intent.provider}, 'sell-verify', 'INTENDED',
        ${gramsToDatabase(intent.grams)}::numeric, ${intent.at}::timestamptz, 0)`;
  },

  /** Takes it for a try; false while somebody else is at it, or when it is settled. */
  async take(orderId: string, holderId: string, leaseMs: number): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE provider_operation
      SET attempts = attempts + 1, holder_id = ${holderId}::uuid,
        lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
      WHERE order_id = ${orderId}::uuid AND operation = 'sell-verify' AND status = 'INTENDED'
        AND (lease_until IS NULL OR lease_until <= clock_timestamp())`;
    return count === 1;
  },

  /** Goes on holding it for a second call; false when the lease was lost. */
  async holdOn(orderId: string, holderId: string, leaseMs: number): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE provider_operation
      SET lease_until = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
      WHERE order_id = ${orderId}::uuid AND operation = 'sell-verify' AND status = 'INTENDED'
        AND holder_id = ${holderId}::uuid AND lease_until > clock_timestamp()`;
    return count === 1;
  },

  /** Writes what came of it; false when the holder lost its lease to another meanwhile. */
  async settle(
    orderId: string,
    holderId: string,
    came: {
      readonly status: 'DONE' | 'REFUSED';
      readonly providerTxId: string | null;
      readonly reason: string;
      readonly at: Date;
    },
  ): Promise<boolean> {
    const count = await db.$executeRaw`
      UPDATE provider_operation
      SET status = ${came.status}, provider_tx_id = ${came.providerTxId},
        detail = ${JSON.stringify({ reason: came.reason })}::jsonb,
        settled_at = ${came.at}::timestamptz, holder_id = NULL, lease_until = NULL
      WHERE order_id = ${orderId}::uuid AND operation = 'sell-verify' AND status = 'INTENDED'
        AND holder_id = ${holderId}::uuid`;
    return count === 1;
  },
});
