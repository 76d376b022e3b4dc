import { buyMoves, sellMoves } from '../../../modules/gold/gold.states.ts';
import type { Invariant } from './invariant.ts';

type Table = Readonly<Record<string, Readonly<Record<string, { readonly by: readonly string[] }>>>>;

/** Every move of a table with every actor that may cause it, as rows of SQL. */
const movesOf = (table: Table): string =>
  Object.entries(table)
    .flatMap(([from, moves]) =>
      Object.entries(moves).flatMap(([to, { by }]) =>
        by.map((mover) => `('${from}', '${to}', '${mover}')`),
      ),
    )
    .join(', ');

const illegalMove = (type: string, table: Table): string => `
  SELECT format('event %s of order %s: %s to %s by %s', e.id, e.order_id, e.from_status,
    e.to_status, e.actor) AS breach
  FROM gold_order_event e JOIN gold_order o ON o.id = e.order_id
  WHERE o.type = '${type}'
    AND CASE WHEN e.from_status IS NULL THEN e.to_status <> 'PENDING'
      ELSE (e.from_status, e.to_status, split_part(e.actor, ':', 1))
        NOT IN (VALUES ${movesOf(table)}) END`;

/** How orders came to be what they are (architecture, section 4: 4, 6, 9). */
export const orderInvariants: readonly Invariant[] = [
  {
    name: 'the paise of a buy add up, and its rounding is what flooring its grams left',
    sql: `
      SELECT format('order %s: %s + %s paise, rounding %s, costs %s', id, gold_value_paise,
        gst_paise, rounding_paise, amount_paise) AS breach
      FROM gold_order
      WHERE type = 'BUY'
        AND (gold_value_paise + gst_paise <> amount_paise
          OR rounding_paise <> gold_value_paise - round(grams * price_per_gram_paise))`,
  },
  {
    name: 'an allocated order has one confirm that the provider did',
    sql: `
      SELECT format('order %s: %s confirms done', o.id, count(c.id)) AS breach
      FROM gold_order o
      LEFT JOIN provider_operation c
        ON c.order_id = o.id AND c.operation = 'buy-confirm' AND c.status = 'DONE'
      WHERE o.status = 'ALLOCATED' AND o.type = 'BUY'
      GROUP BY o.id
      HAVING count(c.id) <> 1`,
  },
  {
    name: 'a confirm that the provider did belongs to an order that has its gold, or is looked at',
    sql: `
      SELECT format('confirm %s is done, order %s is %s', c.id, o.id, o.status) AS breach
      FROM provider_operation c JOIN gold_order o ON o.id = c.order_id
      WHERE c.operation = 'buy-confirm' AND c.status = 'DONE'
        AND o.status NOT IN ('ALLOCATED', 'MANUAL_REVIEW')`,
  },
  {
    name: 'a consumed quote has one order, and no other quote has any',
    sql: `
      SELECT format('quote %s is %s, its orders: %s', q.id, q.status, count(o.id)) AS breach
      FROM gold_quote q LEFT JOIN gold_order o ON o.quote_id = q.id
      GROUP BY q.id
      HAVING count(o.id) <> CASE q.status WHEN 'CONSUMED' THEN 1 ELSE 0 END`,
  },
  {
    name: 'every state in the history follows from the one before',
    sql: `
      SELECT format('event %s of order %s: from %s, before it was %s', id, order_id,
        coalesce(from_status, 'nothing'), coalesce(before, 'nothing')) AS breach
      FROM (
        SELECT e.*, lag(to_status) OVER (PARTITION BY order_id ORDER BY seq) AS before
        FROM gold_order_event e) AS history
      WHERE from_status IS DISTINCT FROM before`,
  },
  {
    name: 'every move of a buy in the history is legal, and by who may cause it',
    sql: illegalMove('BUY', buyMoves),
  },
  {
    name: 'every move of a sell in the history is legal, and by who may cause it',
    sql: illegalMove('SELL', sellMoves),
  },
  {
    name: 'an order is in the state that its history ends with',
    sql: `
      SELECT format('order %s is %s, its history ends with %s', o.id, o.status,
        coalesce(e.to_status, 'nothing')) AS breach
      FROM gold_order o LEFT JOIN LATERAL (
        SELECT to_status FROM gold_order_event WHERE order_id = o.id ORDER BY seq DESC LIMIT 1
      ) AS e ON true
      WHERE e.to_status IS DISTINCT FROM o.status`,
  },
  {
    name: 'one idempotency key, one effect',
    sql: `
      SELECT format('%s: %s is the resource of %s keys', operation, resource_id, count(*)) AS breach
      FROM idempotency_key
      WHERE resource_id IS NOT NULL
      GROUP BY operation, resource_id
      HAVING count(*) > 1`,
  },
];
