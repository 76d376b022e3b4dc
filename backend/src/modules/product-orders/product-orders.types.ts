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

/** A customer's address for one delivery. Every field is personal. */
export interface ShippingAddress {
  readonly name: string;
  /** E.164. */
  readonly phone: string;
  readonly line1: string;
  readonly line2?: string | undefined;
  readonly city: string;
  readonly state: string;
  readonly pincode: string;
}

/** A line of an order, with the name and prices of the moment in which it was placed. */
export interface ProductOrderLine {
  readonly productId: string;
  readonly name: string;
  readonly quantity: number;
  /** Of one piece, before GST. */
  readonly unitPricePaise: Paise;
  /** Half-up over the line. */
  readonly gstPaise: Paise;
  readonly lineTotalPaise: Paise;
}

/** The parcel of an order. */
export interface Shipment {
  readonly carrier: string;
  readonly consignmentNumber?: string | undefined;
}

/** Money that was received for an order. */
export interface ReceivedCash {
  readonly id: string;
  readonly amountPaise: Paise;
  readonly reference: string;
  /** A day of the IST calendar, `YYYY-MM-DD`. */
  readonly receivedOn: string;
  readonly recordedBy: string;
  readonly recordedAt: Date;
}

/** A product order as it is stored. The address is sealed with the customer's own key. */
export interface ProductOrder extends ProductOrderTotals {
  readonly id: string;
  readonly userId: string;
  readonly status: ProductOrderStatus;
  readonly lines: readonly ProductOrderLine[];
  /** Empty once the customer's account is deleted. */
  readonly shippingAddressSealed: string;
  /** Undefined until an operator names the carrier, and once the account is deleted. */
  readonly shipment: Shipment | undefined;
  readonly cashReceivedPaise: Paise;
  readonly createdAt: Date;
}

/** An order about to be written, with what its row and its history keep besides. */
export interface NewProductOrder extends Omit<
  ProductOrder,
  'status' | 'shipment' | 'cashReceivedPaise'
> {
  readonly gstRateBps: Bps;
  /** Undefined where the client sent no key, so that nothing is de-duplicated. */
  readonly key: { readonly idempotencyKey: string; readonly payloadHash: string } | undefined;
  readonly requestId: string;
}

/** One row of an order's history. */
export interface ProductOrderEvent {
  /** Null in the first row. */
  readonly from: string | null;
  readonly to: string;
  readonly cause: string;
  readonly actor: string;
  readonly requestId: string | null;
  readonly at: Date;
}
