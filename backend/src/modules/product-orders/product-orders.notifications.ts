import { formatRupees } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { ProductOrder, ProductOrderStatus, Shipment } from './product-orders.types.ts';

interface Text {
  readonly title: string;
  readonly body: string;
}

type ToldOrder = Pick<ProductOrder, 'id' | 'userId' | 'totalPaise' | 'lines'> & {
  readonly shipment?: Shipment | undefined;
};

/** Names what was ordered, by its first piece. */
const nameOf = ({ lines }: ToldOrder): string => {
  const [first] = lines;
  const name = first?.name ?? 'jewellery';
  return lines.length > 1 ? `${name} and ${lines.length - 1} more` : name;
};

const parcelOf = ({ shipment }: ToldOrder): string => {
  if (shipment === undefined) return '';
  const { carrier, consignmentNumber } = shipment;
  return consignmentNumber === undefined
    ? ` ${carrier} will deliver it.`
    : ` ${carrier} will deliver it (consignment number ${consignmentNumber}).`;
};

/** The text of each status: what happened, and what it means for the customer's money. */
const texts: Readonly<Record<ProductOrderStatus, (order: ToldOrder) => Text>> = {
  PLACED: (order) => ({
    title: 'Order placed',
    body:
      `You ordered ${nameOf(order)} for INR ${formatRupees(order.totalPaise)}. ` +
      'You pay when it is delivered, and can cancel it until it is packed.',
  }),
  CONFIRMED: (order) => ({
    title: 'Order confirmed',
    body: `Your order of ${nameOf(order)} is confirmed and will be packed soon.`,
  }),
  PACKED: (order) => ({
    title: 'Order packed',
    body: `Your order of ${nameOf(order)} is packed and will be shipped soon.`,
  }),
  SHIPPED: (order) => ({
    title: 'Order on its way',
    body:
      `Your order of ${nameOf(order)} is on its way.${parcelOf(order)} ` +
      `Please keep INR ${formatRupees(order.totalPaise)} ready.`,
  }),
  DELIVERED: (order) => ({
    title: 'Order delivered',
    body: `Your order of ${nameOf(order)} was delivered.`,
  }),
  CANCELLED: (order) => ({
    title: 'Order cancelled',
    body: `Your order of ${nameOf(order)} is cancelled. There is nothing to pay.`,
  }),
  RETURNED: (order) => ({
    title: 'Order returned',
    body: `Your order of ${nameOf(order)} was returned to us. Please contact support about your refund.`,
  }),
};

/** Tells the customer of a status that an order has now, once for each. */
export const notifyStatus = (
  db: Db,
  notify: Notify,
  order: ToldOrder,
  status: ProductOrderStatus,
): Promise<void> =>
  notify(db, {
    userId: order.userId,
    type: `product_order_${status.toLowerCase() as Lowercase<ProductOrderStatus>}`,
    ...texts[status](order),
    data: { productOrderId: order.id, status },
    dedupeKey: `product_order:${order.id}:${status}`,
  });
