import { newId, productOrderLineRow, productOrderRow, productRow } from './rows.ts';
import type { LegalRows } from './legal-rows.ts';
import { add, at, run, type TriggerCase, type Work } from './trigger-work.ts';

const stock = ({ productId }: LegalRows): Work =>
  run('INSERT INTO product_stock (product_id, count, updated_at) VALUES ($1, 5, now())', productId);
const line = ({ productOrderId, productId }: LegalRows): Work =>
  add('product_order_line', productOrderLineRow(productOrderId, productId));
const event = ({ productOrderId }: LegalRows, from: string, to: string): Work =>
  add('product_order_event', {
    order_id: productOrderId,
    from_status: from,
    to_status: to,
    at,
  });

/** Triggers of jewellery. */
export const ofGoods: readonly TriggerCase[] = [
  {
    name: 'product_describe',
    table: 'product',
    work: ({ productId }) => [
      run(`UPDATE product SET description = 'A ring' WHERE id = $1`, productId),
    ],
    writes: ['product'],
  },
  {
    name: 'product_version',
    table: 'product',
    work: () => [run('DELETE FROM product WHERE false')],
    writes: ['catalogue_version'],
  },
  {
    name: 'product_words',
    table: 'product',
    work: () => [add('product', { ...productRow(), name: 'Zymurgy' })],
    writes: ['product_word'],
  },
  {
    name: 'product_stock_version',
    table: 'product_stock',
    work: (legal) => [stock(legal), run('UPDATE product_stock SET count = 0')],
    writes: ['catalogue_version'],
  },
  {
    name: 'product_order_line_stock',
    table: 'product_order_line',
    work: (legal) => [stock(legal), line(legal)],
    writes: ['product_stock'],
  },
  {
    name: 'product_order_cancelled_stock',
    table: 'product_order',
    work: (legal) => [
      stock(legal),
      line(legal),
      run(`UPDATE product_order SET status = 'CANCELLED'`),
    ],
    writes: ['product_stock'],
  },
  {
    name: 'product_order_cash_added',
    table: 'product_order_cash',
    work({ productOrderId }) {
      const id = newId();
      return [
        add('admin_user', { id, email: 'a@b.in', role: 'ADMIN' }),
        run(`UPDATE product_order SET status = 'DELIVERED'`),
        add('product_order_cash', {
          order_id: productOrderId,
          recorded_by: id,
          amount_paise: 100,
        }),
      ];
    },
    writes: ['product_order'],
  },
  {
    name: 'product_order_count',
    table: 'product_order',
    work: ({ userId }) => [add('product_order', productOrderRow(userId))],
    writes: ['transaction_count'],
  },
  {
    name: 'product_order_noted',
    table: 'product_order',
    work: ({ userId }) => [add('product_order', productOrderRow(userId))],
    writes: ['transaction_change'],
  },
  {
    name: 'product_order_status_noted',
    table: 'product_order',
    work: () => [run(`UPDATE product_order SET status = 'CONFIRMED'`)],
    writes: ['transaction_change'],
  },
  {
    name: 'product_order_event_invoice',
    table: 'product_order_event',
    work: (legal) => [event(legal, 'PACKED', 'SHIPPED')],
    writes: ['product_invoice', 'product_invoice_series'],
  },
  {
    name: 'product_order_event_stamp',
    table: 'product_order_event',
    work: (legal) => [
      run(`UPDATE product_order SET shipped_at = '${at}'`),
      event(legal, 'SHIPPED', 'DELIVERED'),
    ],
    writes: ['product_order'],
  },
];
