import { sql, type Sql } from '../../platform/db/index.ts';
import { isUuid } from '../../platform/ids/random.ts';
import { count, date, money, noJoins, personName, text, time } from './columns.ts';
import type { Register } from './registers.types.ts';

/** Shows a figure only for a shipped order, since any other order is not a supply. */
const supplied = (value: Sql): Sql => sql`CASE WHEN o.shipped_at IS NOT NULL THEN ${value} END`;
const returned = (value: Sql): Sql => sql`CASE WHEN o.returned_at IS NOT NULL THEN ${value} END`;
/** Shows an amount only for shipped goods that were not returned, since no other goods are owed. */
const owed = (value: Sql): Sql => sql`
  CASE WHEN o.shipped_at IS NOT NULL AND o.returned_at IS NULL THEN ${value} END`;
const moment = sql`coalesce(o.shipped_at, o.created_at)`;

const byNumber = (q: string): Sql => sql`
  SELECT i.order_id FROM product_invoice i WHERE i.number = ${q}`;

const byId = (q: string): Sql => sql`
  SELECT ${q}::uuid
  UNION SELECT f.id FROM product_order f WHERE f.user_id = ${q}::uuid
  UNION SELECT l.order_id FROM product_order_line l WHERE l.product_id = ${q}::uuid`;

/** Orders of jewellery, by the day on which the order was shipped, which is the day of the supply. */
export const productSalesRegister: Register = {
  name: 'product-sales',
  permission: 'gold.buys.read',
  summary: 'Sales of jewellery, by the day on which the order was dispatched',
  statuses: ['PLACED', 'CONFIRMED', 'PACKED', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED'],
  table: 'product_order',
  alias: 'o',
  moment,
  key: sql`o.id`,
  figures: noJoins,
  lookups: sql`
    LEFT JOIN app_user u ON u.id = o.user_id
    LEFT JOIN product_invoice i ON i.order_id = o.id AND i.kind = 'INVOICE'
    LEFT JOIN product_invoice c ON c.order_id = o.id AND c.kind = 'CREDIT_NOTE'`,
  columns: [
    date('date', moment),
    text('orderId', sql`o.id`),
    text('status', sql`o.status`),
    text('customerId', sql`o.user_id`),
    personName('customerName', sql`u.full_name`),
    text('invoiceNumber', sql`i.number`),
    text('creditNoteNumber', sql`c.number`),
    money('orderedPaise', sql`o.total_paise`),
    money('itemsPaise', supplied(sql`o.items_total_paise`)),
    count('gstRateBps', supplied(sql`o.gst_rate_bps`)),
    money('gstPaise', supplied(sql`o.gst_paise`)),
    money('cgstPaise', supplied(sql`o.gst_paise / 2`)),
    money('sgstPaise', supplied(sql`o.gst_paise - o.gst_paise / 2`)),
    money('deliveryPaise', supplied(sql`o.delivery_fee_paise`)),
    money('amountPaise', supplied(sql`o.total_paise`)),
    money('receivedPaise', supplied(sql`o.cash_received_paise`)),
    money('outstandingPaise', owed(sql`o.total_paise - o.cash_received_paise`)),
    money('returnedPaise', returned(sql`o.total_paise`)),
    money('returnedGstPaise', returned(sql`o.gst_paise`)),
    money('refundablePaise', returned(sql`o.cash_received_paise`)),
    time('createdAt', sql`o.created_at`),
    time('shippedAt', sql`o.shipped_at`),
    time('deliveredAt', sql`o.delivered_at`),
    time('returnedAt', sql`o.returned_at`),
  ],
  isOfStatus: (status) => sql`o.status = ${status}`,
  isFoundBy: (q) => sql`o.id IN (${isUuid(q) ? byId(q) : byNumber(q)})`,
};
