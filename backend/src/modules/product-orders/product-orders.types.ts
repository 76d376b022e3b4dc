import type { Bps, Paise, ProductOrderTotals } from '../../money/index.ts';

/** The states of a product order (contract: states > Product order). */
export const productOrderStatuses = [
  'PLACED',
  'CONFIRMED',
  'PACKED',
  'SHIPPED',
  'DELIVERED',
  'CANCELLED',
  'RETURNED',
] as const;
export type ProductOrderStatus = (typeof productOrderStatuses)[number];

/** The delivery address of one order. Every field is personal data. */
export interface ShippingAddress {
  readonly name: string;
  /** The phone number in E.164 format. */
  readonly phone: string;
  readonly line1: string;
  readonly line2?: string | undefined;
  readonly city: string;
  readonly state: string;
  readonly pincode: string;
}

/** A line of an order, with the name and prices at the time of the order. */
export interface ProductOrderLine {
  readonly productId: string;
  readonly name: string;
  readonly quantity: number;
  /** The price of one piece before GST. */
  readonly unitPricePaise: Paise;
  /** The GST of the line, rounded half up. */
  readonly gstPaise: Paise;
  readonly lineTotalPaise: Paise;
}

/** The carrier of an order's parcel and the consignment number. */
export interface Shipment {
  readonly carrier: string;
  readonly consignmentNumber?: string | undefined;
}

/** Cash that was received for an order. */
export interface ReceivedCash {
  readonly id: string;
  readonly amountPaise: Paise;
  readonly reference: string;
  /** The IST date of the receipt, `YYYY-MM-DD`. */
  readonly receivedOn: string;
  readonly recordedBy: string;
  readonly recordedAt: Date;
}

/** A product order. The address is sealed with the customer's own key. */
export interface ProductOrder extends ProductOrderTotals {
  readonly id: string;
  readonly userId: string;
  readonly status: ProductOrderStatus;
  readonly lines: readonly ProductOrderLine[];
  /** The sealed address. It is empty once the customer's account is deleted. */
  readonly shippingAddressSealed: string;
  /** The shipment, or undefined until an operator sets the carrier. */
  readonly shipment: Shipment | undefined;
  readonly cashReceivedPaise: Paise;
  readonly createdAt: Date;
}

/** An order that is inserted, with further columns of its row and its history. */
export interface NewProductOrder extends Omit<
  ProductOrder,
  'status' | 'shipment' | 'cashReceivedPaise'
> {
  readonly gstRateBps: Bps;
  /** The idempotency key, or undefined if the client sent none. Repeats are then not detected. */
  readonly key: { readonly idempotencyKey: string; readonly payloadHash: string } | undefined;
  readonly requestId: string;
}

/** One row of an order's history. */
export interface ProductOrderEvent {
  /** The earlier status, or null in the first row. */
  readonly from: string | null;
  readonly to: string;
  readonly cause: string;
  readonly actor: string;
  readonly requestId: string | null;
  readonly at: Date;
}
