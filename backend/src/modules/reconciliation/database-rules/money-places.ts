import type { Client } from 'pg';
import { invariant } from '../../../platform/invariant/invariant.ts';

/** The captured money of all customers by place, in paise. The parts add up to `captured`. */
interface MoneyPlaces {
  readonly captured: bigint;
  readonly allocated: bigint;
  readonly awaitingAllocation: bigint;
  readonly underReview: bigint;
  readonly unmatched: bigint;
  /** The money that was refunded or lost in a dispute, from payments that still count as captured. */
  readonly reversed: bigint;
}

const sql = `
  SELECT coalesce(sum(g.amount_paise), 0)::text AS captured,
    coalesce(sum(held.paise) FILTER (
      WHERE g.standing = 'APPLIED' AND o.status = 'ALLOCATED'), 0)::text AS allocated,
    coalesce(sum(held.paise) FILTER (
      WHERE g.standing = 'APPLIED' AND o.status IN ('PAID', 'RETRY_PENDING')), 0)::text AS awaiting,
    coalesce(sum(held.paise) FILTER (
      WHERE g.standing <> 'UNMATCHED'
        AND (g.standing <> 'APPLIED' OR o.status = 'MANUAL_REVIEW')), 0)::text AS review,
    coalesce(sum(held.paise) FILTER (WHERE g.standing = 'UNMATCHED'), 0)::text AS unmatched,
    coalesce(sum(g.amount_paise - held.paise), 0)::text AS reversed
  FROM gateway_payment g
  CROSS JOIN LATERAL (
    SELECT greatest(g.amount_paise - coalesce(sum(r.amount_paise), 0), 0) AS paise
    FROM payment_reversal r
    WHERE r.gateway = g.gateway AND r.gateway_payment_id = g.gateway_payment_id) AS held
  LEFT JOIN payment_order p ON p.id = g.payment_order_id
  LEFT JOIN gold_order o ON o.id = p.order_id
  WHERE g.status = 'CAPTURED'`;

/** Adds up the captured money by its place. */
export const readMoneyPlaces = async (client: Client): Promise<MoneyPlaces> => {
  const { rows } =
    await client.query<
      Record<'captured' | 'allocated' | 'awaiting' | 'review' | 'unmatched' | 'reversed', string>
    >(sql);
  const [row] = rows;
  invariant(row, 'a sum has a row');
  return {
    captured: BigInt(row.captured),
    allocated: BigInt(row.allocated),
    awaitingAllocation: BigInt(row.awaiting),
    underReview: BigInt(row.review),
    unmatched: BigInt(row.unmatched),
    reversed: BigInt(row.reversed),
  };
};
