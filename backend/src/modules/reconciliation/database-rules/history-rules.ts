import type { DatabaseRule } from './database-rule.ts';

/**
 * The moves that decisions, section 3, allows; written down once more, so that a mistake in the
 * product's own table is not checked with that mistake.
 */
const legalMoves: Readonly<Record<string, readonly string[]>> = {
  BUY: [
    '>PENDING',
    'PENDING>PAID',
    'PENDING>FAILED',
    'PENDING>MANUAL_REVIEW',
    'FAILED>PAID',
    'FAILED>MANUAL_REVIEW',
    'PAID>ALLOCATED',
    'PAID>RETRY_PENDING',
    'PAID>MANUAL_REVIEW',
    'RETRY_PENDING>PAID',
    'RETRY_PENDING>MANUAL_REVIEW',
    'ALLOCATED>MANUAL_REVIEW',
    'MANUAL_REVIEW>ALLOCATED',
    'MANUAL_REVIEW>FAILED',
    'MANUAL_REVIEW>PAID',
    'MANUAL_REVIEW>RETRY_PENDING',
  ],
  SELL: [
    '>PENDING',
    'PENDING>VERIFIED',
    'PENDING>FAILED',
    'VERIFIED>CONFIRMED',
    'VERIFIED>FAILED',
    'CONFIRMED>COMPLETED',
    'COMPLETED>CONFIRMED',
  ],
};

const movesOf = (type: string, more: readonly string[] = []): string =>
  [...(legalMoves[type] ?? []), ...more].map((move) => `('${type}', '${move}')`).join(', ');

/** An installment that failed may be put back to be paid (decisions, section 4, SIP). */
const installmentMoves = movesOf('BUY', ['FAILED>PENDING']).replaceAll(
  "'BUY'",
  "'SIP_INSTALLMENT'",
);

/** How orders came to be what they are. */
export const historyRules: readonly DatabaseRule[] = [
  {
    invariant: 9,
    says: 'every move is one of the table, by an actor that has a name',
    sql: `
      WITH legal (type, move) AS (
        VALUES ${movesOf('BUY')}, ${movesOf('SELL')}, ${installmentMoves})
      SELECT o.type, e.* FROM gold_order_event e JOIN gold_order o ON o.id = e.order_id
      WHERE NOT EXISTS (SELECT 1 FROM legal l WHERE l.type = o.type
          AND l.move = coalesce(e.from_status, '') || '>' || e.to_status)
        OR e.actor !~ '^(worker|janitor|(customer|admin):[0-9a-f-]{36}|(gateway|payout-provider):[a-z]+)$'
        OR e.cause = ''`,
  },
  {
    invariant: 9,
    says: "an order's history is a chain without a gap that ends where the order is",
    sql: `
      SELECT * FROM (
        SELECT e.order_id, e.seq, e.from_status, e.to_status, o.status,
          lag(e.to_status) OVER chain AS came_to,
          lead(e.seq) OVER chain IS NULL AS is_last
        FROM gold_order_event e JOIN gold_order o ON o.id = e.order_id
        WINDOW chain AS (PARTITION BY e.order_id ORDER BY e.seq)) c
      WHERE from_status IS DISTINCT FROM came_to OR (is_last AND to_status <> status)
      UNION ALL
      SELECT o.id, NULL, NULL, NULL, o.status, NULL, NULL FROM gold_order o
      WHERE NOT EXISTS (SELECT 1 FROM gold_order_event e WHERE e.order_id = o.id)`,
  },
];
