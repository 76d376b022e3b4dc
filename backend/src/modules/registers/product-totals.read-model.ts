import { sql, type Db } from '../../platform/db/index.ts';
import { isWithin, selectFigures } from './period-figures.ts';
import type { Window } from './registers.types.ts';

/** Sums the invoices of the window. A later return does not change them. */
const readSupplied = (db: Db, window: Window) =>
  selectFigures(
    db,
    {
      orders: sql`count(*)`,
      itemsPaise: sql`sum(items_total_paise)`,
      gstPaise: sql`sum(gst_paise)`,
      cgstPaise: sql`sum(gst_paise / 2)`,
      sgstPaise: sql`sum(gst_paise - gst_paise / 2)`,
      deliveryPaise: sql`sum(delivery_fee_paise)`,
      amountPaise: sql`sum(total_paise)`,
    },
    sql`FROM product_invoice WHERE kind = 'INVOICE' AND ${isWithin(sql`issued_at`, window)}`,
  );

/** Sums the credit notes of the window. */
const readReturned = (db: Db, window: Window) =>
  selectFigures(
    db,
    {
      returned: sql`count(*)`,
      returnedPaise: sql`sum(total_paise)`,
      returnedGstPaise: sql`sum(gst_paise)`,
      returnedCgstPaise: sql`sum(gst_paise / 2)`,
      returnedSgstPaise: sql`sum(gst_paise - gst_paise / 2)`,
    },
    sql`FROM product_invoice WHERE kind = 'CREDIT_NOTE' AND ${isWithin(sql`issued_at`, window)}`,
  );

/** Sums the cash recorded in the window. The day of a receipt may be in a closed month. */
const readReceived = (db: Db, window: Window) =>
  selectFigures(
    db,
    { receivedPaise: sql`sum(amount_paise)` },
    sql`FROM product_order_cash WHERE ${isWithin(sql`recorded_at`, window)}`,
  );

/**
 * Reads two sums at the window's end: the amounts that customers owed for goods they kept, and the
 * amounts that were refundable for returned goods.
 */
const readClosing = (db: Db, { until }: Window) => {
  const issued = isWithin(sql`issued_at`, { until });
  const recorded = isWithin(sql`recorded_at`, { until });
  return selectFigures(
    db,
    {
      closingOutstandingPaise: sql`max(d.owed) - max(c.received) + max(r.refundable)`,
      closingRefundablePaise: sql`max(r.refundable)`,
    },
    sql`FROM
      (SELECT coalesce(sum(CASE kind WHEN 'INVOICE' THEN total_paise ELSE -total_paise END), 0)
        AS owed FROM product_invoice WHERE ${issued}) AS d,
      (SELECT coalesce(sum(amount_paise), 0) AS received FROM product_order_cash
        WHERE ${recorded}) AS c,
      (SELECT coalesce(sum(p.amount_paise), 0) AS refundable
        FROM product_invoice i JOIN product_order_cash p USING (order_id)
        WHERE i.kind = 'CREDIT_NOTE' AND ${issued} AND ${recorded}) AS r`,
  );
};

/** Returns the figures of jewellery of a window. Each figure counts by the moment of its event. */
export const readProductSales = async (db: Db, window: Window) => ({
  ...(await readSupplied(db, window)),
  ...(await readReturned(db, window)),
  ...(await readReceived(db, window)),
  ...(await readClosing(db, window)),
});
