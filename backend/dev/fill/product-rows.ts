import type { SqlTerms } from './series.ts';

/** The number of gold orders for each order of jewellery. */
export const goldOrdersEach = 20;

/** The transitions of an order to each status. */
const ways: Readonly<Record<string, readonly string[]>> = {
  PLACED: ['PLACED'],
  CONFIRMED: ['PLACED', 'CONFIRMED'],
  PACKED: ['PLACED', 'CONFIRMED', 'PACKED'],
  SHIPPED: ['PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED'],
  DELIVERED: ['PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED'],
  CANCELLED: ['PLACED', 'CANCELLED'],
  RETURNED: ['PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'RETURNED'],
};

/** Status that is reached, number of the step, status before it and after it. */
const steps = Object.entries(ways)
  .flatMap(([status, way]) =>
    way.map((to, step) => {
      const from = way[step - 1];
      return `('${status}', ${step}, ${from === undefined ? 'NULL' : `'${from}'`}, '${to}')`;
    }),
  )
  .join(', ');

/** Returns the statements that write orders of jewellery with a single line. */
export const productStatements = (terms: SqlTerms): readonly string[] => {
  const { id, series } = terms;
  const product = id('productLine', '0');
  const chosen = `
    SELECT n, o.user_id, o.at, 1 + n % 3 AS quantity, 100000 + n % 9000 * 10 AS unit_price,
      (ARRAY['DELIVERED', 'DELIVERED', 'DELIVERED', 'DELIVERED', 'DELIVERED', 'SHIPPED', 'PACKED',
        'CONFIRMED', 'PLACED', 'CANCELLED', 'RETURNED'])[1 + n / ${goldOrdersEach} % 11] AS status
    FROM fill_order o WHERE n % ${goldOrdersEach} = 3`;
  const gst = 'round(unit_price * quantity * 3 / 100.0)::bigint';
  return [
    `INSERT INTO product (id, name, category, purity_karat, weight_grams, pricing_mode, price_paise,
       is_active, created_at, updated_at)
     SELECT ${product}, 'Filled ring ${series}', 'rings', 22, 2, 'FIXED', 100000, false,
       ${terms.fromSql}, ${terms.fromSql}`,
    `INSERT INTO product_order (id, user_id, status, items_total_paise, gst_paise, gst_rate_bps,
       delivery_fee_paise, total_paise, shipping_address_sealed, created_at, updated_at)
     SELECT ${id('productOrder', 'n')}, user_id, status, unit_price * quantity, ${gst}, 300, 9900,
       unit_price * quantity + ${gst} + 9900, sealed, at, at
     FROM (${chosen}) AS chosen JOIN fill_address USING (n) ORDER BY n`,
    `INSERT INTO product_order_line (id, order_id, line_no, product_id, name, quantity,
       unit_price_paise, gst_paise, line_total_paise)
     SELECT ${id('productLine', 'n')}, ${id('productOrder', 'n')}, 1, ${product},
       'Filled ring ${series}', quantity, unit_price, ${gst}, unit_price * quantity + ${gst}
     FROM (${chosen}) AS chosen ORDER BY n`,
    `INSERT INTO product_order_event (id, order_id, from_status, to_status, cause, actor, at)
     SELECT ${id('productEvent', 'n::bigint * 8 + step')}, ${id('productOrder', 'n')}, came_from,
       went_to, CASE step WHEN 0 THEN 'order.placed' ELSE 'order.status-set' END,
       CASE step WHEN 0 THEN 'customer:' || user_id ELSE 'admin:' || ${id('user', '0')} END,
       at + step * interval '1 hour'
     FROM (${chosen}) AS chosen
     JOIN (VALUES ${steps}) AS way (reached, step, came_from, went_to) ON reached = status
     ORDER BY n, step`,
    // The triggers of single rows, which number invoices, are off meanwhile.
    'SELECT issue_missing_product_invoices()',
  ];
};
