import type { Client } from 'pg';

/**
 * The places of money and gold. Captured rupees are compared with their dispositions, a holding
 * with its movements, reserved grams with their reservations, and sales with their payouts.
 */
export const driftPlaces = [
  'captured_paise',
  'held_grams',
  'invested_paise',
  'reserved_grams',
  'payout_paise',
] as const;
type DriftPlace = (typeof driftPlaces)[number];

/** The sum of the differences at a place of money or gold. It is 0 while the books agree. */
export interface Drift {
  readonly place: DriftPlace;
  /** The amount as decimal text, in paise or grams. */
  readonly amount: string;
}

/** Each statement adds up absolute differences, so that two drifts never cancel each other. */
const statements: Readonly<Record<DriftPlace, string>> = {
  captured_paise: `
    SELECT coalesce(sum(g.amount_paise), 0) AS amount FROM gateway_payment g
    LEFT JOIN payment_order p ON p.id = g.payment_order_id
    LEFT JOIN gold_order o ON o.id = p.order_id
    WHERE g.status = 'CAPTURED' AND NOT CASE g.standing
      WHEN 'APPLIED' THEN coalesce(
        o.status IN ('PAID', 'RETRY_PENDING', 'ALLOCATED', 'MANUAL_REVIEW'), false)
      ELSE g.standing IN ('SECOND', 'MISMATCH', 'LATE', 'UNMATCHED') END`,
  held_grams: `
    SELECT coalesce(sum(abs(h.balance - coalesce(m.grams, 0))), 0) AS amount FROM holding h
    LEFT JOIN (SELECT user_id, sum(grams) AS grams FROM holding_movement GROUP BY 1) m
      ON m.user_id = h.user_id`,
  invested_paise: `
    SELECT coalesce(sum(abs(h.invested_paise - coalesce(m.paise, 0))), 0) AS amount FROM holding h
    LEFT JOIN (SELECT user_id, sum(invested_paise) AS paise FROM holding_movement GROUP BY 1) m
      ON m.user_id = h.user_id`,
  reserved_grams: `
    SELECT coalesce(sum(abs(h.reserved - coalesce(r.grams, 0))), 0) AS amount FROM holding h
    LEFT JOIN (
      SELECT user_id, sum(grams) AS grams FROM (
        SELECT user_id, grams FROM gold_order
        WHERE type = 'SELL' AND status IN ('PENDING', 'VERIFIED')
        UNION ALL
        SELECT user_id, grams FROM holding_reservation WHERE ended_at IS NULL) AS held
      GROUP BY 1) r ON r.user_id = h.user_id`,
  payout_paise: `
    SELECT coalesce(sum(abs(coalesce(o.proceeds_paise, 0) - coalesce(p.amount_paise, 0))), 0)
      AS amount
    FROM (SELECT id, proceeds_paise FROM gold_order
      WHERE type = 'SELL' AND status IN ('CONFIRMED', 'COMPLETED')) o
    FULL JOIN payout p ON p.order_id = o.id`,
};

/** Reads the drift of each place of money and gold. Each statement sees one snapshot. */
export const readDrift = async (client: Pick<Client, 'query'>): Promise<Drift[]> => {
  const drift: Drift[] = [];
  for (const place of driftPlaces) {
    const { rows } = await client.query<{ amount: string }>(
      `SELECT amount::text AS amount FROM (${statements[place]}) AS drift`,
    );
    drift.push({ place, amount: rows[0]?.amount ?? '0' });
  }
  return drift;
};
