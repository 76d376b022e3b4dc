import { formatRupees } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { ProductOrder, ProductOrderStatus, Shipment } from './product-orders.types.ts';

interface Text {
  readonly title: string;
  readonly body: string;
}

type NotifiedOrder = Pick<ProductOrder, 'id' | 'userId' | 'totalPaise' | 'lines'> & {
  readonly shipment?: Shipment | undefined;
};

/** Returns the name of the first product, and the number of other lines. */
const goodsNameOf = ({ lines }: NotifiedOrder): string => {
  const [first] = lines;
  const name = first?.name ?? 'jewellery';
  return lines.length > 1 ? `${name} and ${lines.length - 1} more` : name;
};

const shipmentTextOf = ({ shipment }: NotifiedOrder): string => {
  if (shipment === undefined) return '';
  const { carrier, consignmentNumber } = shipment;
  return consignmentNumber === undefined
    ? ` ${carrier} will deliver it.`
    : ` ${carrier} will deliver it (consignment number ${consignmentNumber}).`;
};

/** The text of each status. It says what happened and what the customer has to pay. */
const texts: Readonly<Record<ProductOrderStatus, (order: NotifiedOrder) => Text>> = {
  PLACED: (order) => ({
    title: 'Order placed',
    body:
      `You ordered ${goodsNameOf(order)} for INR ${formatRupees(order.totalPaise)}. ` +
      'You pay when it is delivered, and can cancel it until it is packed.',
  }),
  CONFIRMED: (order) => ({
    title: 'Order confirmed',
    body: `Your order of ${goodsNameOf(order)} is confirmed and will be packed soon.`,
  }),
  PACKED: (order) => ({
    title: 'Order packed',
    body: `Your order of ${goodsNameOf(order)} is packed and will be shipped soon.`,
  }),
  SHIPPED: (order) => ({
    title: 'Order on its way',
    body:
      `Your order of ${goodsNameOf(order)} is on its way.${shipmentTextOf(order)} ` +
      `Please keep INR ${formatRupees(order.totalPaise)} ready.`,
  }),
  DELIVERED: (order) => ({
    title: 'Order delivered',
    body: `Your order of ${goodsNameOf(order)} was delivered.`,
  }),
  CANCELLED: (order) => ({
    title: 'Order cancelled',
    body: `Your order of ${goodsNameOf(order)} is cancelled. There is nothing to pay.`,
  }),
  RETURNED: (order) => ({
    title: 'Order returned',
    body: `Your order of ${goodsNameOf(order)} was returned to us. Please contact support about your refund.`,
  }),
};

/** Notifies the customer of an order's new status, once for each status. */
export const notifyStatus = (
  db: Db,
  notify: Notify,
  order: NotifiedOrder,
  status: ProductOrderStatus,
): Promise<void> =>
  notify(db, {
    userId: order.userId,
    type: `product_order_${status.toLowerCase() as Lowercase<ProductOrderStatus>}`,
    ...texts[status](order),
    data: { productOrderId: order.id, status },
    dedupeKey: `product_order:${order.id}:${status}`,
  });
