import { z } from 'zod';
import { MoneyError, RUPEES_PATTERN, parseRupees, toSafePaise } from '../../money/index.ts';
import { exampleOf, idInput, pageOf, pageQuery, rangeQuery } from '../../platform/http/index.ts';
import { idempotencyKeySchema } from '../../platform/idempotency/index.ts';
import { cashView, presentShipment, shipmentView, statusSince } from './delivery.schemas.ts';
import type { ProductInvoice } from './invoices.store.ts';
import {
  productOrderStatuses,
  type ProductOrder,
  type ProductOrderEvent,
  type ShippingAddress,
} from './product-orders.types.ts';
import { shippingAddressBody, shippingAddressView } from './shipping-address.ts';

const expectedTotal = z
  .union([
    z.string().max(32).meta({ pattern: RUPEES_PATTERN.source }),
    z.number().meta({ minimum: 0 }),
  ])
  .transform((given, context) => {
    try {
      return parseRupees(given);
    } catch (error) {
      if (!(error instanceof MoneyError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
      return z.NEVER;
    }
  })
  .describe(
    'The total that was shown to the customer, in rupees. The order is refused if the total is different.',
  );

/** The maximum number of pieces of one product in an order. */
const maxQuantity = 10;

const itemBody = z.object({
  productId: z.guid('must be the id of a product').toLowerCase(),
  quantity: z
    .int(`must be a whole number from 1 to ${maxQuantity}`)
    .min(1, 'must be at least 1')
    .max(maxQuantity, `must be at most ${maxQuantity}`),
});

/** Refuses a second line of a product, because it would circumvent the maximum quantity. */
const refuseRepeats = (
  items: readonly { readonly productId: string }[],
  context: z.RefinementCtx,
): void => {
  const seen = new Set<string>();
  for (const [index, { productId }] of items.entries()) {
    if (seen.has(productId)) {
      const message = 'is already in the order: change the quantity of that line';
      context.addIssue({ code: 'custom', path: [index, 'productId'], message });
    }
    seen.add(productId);
  }
};

/** The maximum number of lines of an order. */
const maxLines = 20;

export const placeOrderBody = z.object({
  items: z
    .array(itemBody)
    .min(1, 'must have at least one line')
    .max(maxLines, `must have at most ${maxLines} lines`)
    .superRefine(refuseRepeats),
  shippingAddress: shippingAddressBody,
  idempotencyKey: idempotencyKeySchema.optional(),
  expectedTotal: expectedTotal.optional(),
});
export type PlaceOrderBody = z.output<typeof placeOrderBody>;

const paiseInt = z.int().min(0);

const lineView = z.object({
  productId: z.uuid(),
  name: z.string(),
  quantity: z.int().min(1).max(maxQuantity),
  unitPricePaise: paiseInt.describe('The price of one piece in paise, before GST.'),
  gstPaise: paiseInt.describe('The GST of the line in paise, rounded half up.'),
  lineTotalPaise: paiseInt.describe('The total of the line in paise, including GST.'),
});
lineView.register(z.globalRegistry, {
  id: 'ProductOrderLine',
  description:
    'One line of an order, with the name and price of the product at the time of the order.',
  examples: [
    {
      productId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      name: 'Plain band, 22 karat',
      quantity: 1,
      unitPricePaise: 2_574_719,
      gstPaise: 77_242,
      lineTotalPaise: 2_651_961,
    },
  ],
});

const orderShape = {
  id: z.uuid(),
  status: z.enum(productOrderStatuses),
  items: z.array(lineView),
  itemsTotalPaise: paiseInt.describe('The sum of the lines in paise, before GST.'),
  gstPaise: paiseInt,
  deliveryFeePaise: paiseInt,
  totalPaise: paiseInt.describe('The amount to pay in paise: items, GST and delivery fee.'),
  paymentMethod: z.literal('COD'),
  shipment: shipmentView.nullable().describe('The shipment. Null until the carrier is set.'),
};

const exampleOrder = {
  id: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b10',
  status: 'PLACED' as const,
  items: [exampleOf(lineView)],
  itemsTotalPaise: 2_574_719,
  gstPaise: 77_242,
  deliveryFeePaise: 0,
  totalPaise: 2_651_961,
  paymentMethod: 'COD' as const,
  shipment: null,
  shippingAddress: exampleOf(shippingAddressView),
  createdAt: '2026-01-15T09:30:00.000Z',
};

placeOrderBody.register(z.globalRegistry, {
  id: 'PlaceProductOrderRequest',
  examples: [
    {
      items: [{ productId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01', quantity: 1 }],
      shippingAddress: exampleOf(shippingAddressBody),
      idempotencyKey: 'order-2026-01-15-0001',
      expectedTotal: '26519.61',
    },
  ],
});

/** A product order (contract: jewellery > Product order). */
export const productOrderView = z.object({
  ...orderShape,
  shippingAddress: shippingAddressView,
  createdAt: z.iso.datetime(),
});
productOrderView.register(z.globalRegistry, {
  id: 'ProductOrder',
  description:
    'An order of jewellery, paid on delivery. Names and prices are those at the time of the order.',
  examples: [exampleOrder],
});

export const productOrderPage = pageOf(productOrderView);

const documentNumbers = {
  invoiceNumber: z
    .string()
    .nullable()
    .describe('The number of the tax invoice. Null until the order is dispatched.'),
  creditNoteNumber: z
    .string()
    .nullable()
    .describe('The number of the credit note. Null unless the order was returned.'),
};
const exampleNumbers = { invoiceNumber: 'J2526-000117', creditNoteNumber: null };

/** Presents the numbers of an order's documents. */
export const presentNumbers = (documents: readonly ProductInvoice[]) => {
  const numberOf = (kind: ProductInvoice['kind']) =>
    documents.find((document) => document.kind === kind)?.number ?? null;
  return { invoiceNumber: numberOf('INVOICE'), creditNoteNumber: numberOf('CREDIT_NOTE') };
};

/** One product order with its statuses, oldest first. */
export const productOrderDetail = productOrderView.extend({
  ...documentNumbers,
  history: z.array(statusSince),
});
productOrderDetail.register(z.globalRegistry, {
  id: 'ProductOrderDetail',
  description: 'An order of jewellery with the history of its status, oldest first.',
  examples: [{ ...exampleOrder, ...exampleNumbers, history: [exampleOf(statusSince)] }],
});

export const adminProductOrdersQuery = pageQuery.extend({
  ...rangeQuery,
  status: z.enum(productOrderStatuses).optional(),
  userId: idInput.optional(),
  q: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .optional()
    .describe('The id of the order, of its customer or of one of its products, or a phone number.'),
});

/** A product order as operators see it (contract: jewellery > Product orders of operators). */
export const adminProductOrderView = z.object({
  ...orderShape,
  userId: z.uuid(),
  shippingAddress: shippingAddressView
    .nullable()
    .describe("The delivery address. Null once the customer's account is deleted."),
  cashReceivedPaise: paiseInt,
  createdAt: z.iso.datetime(),
});
adminProductOrderView.register(z.globalRegistry, {
  id: 'OperatorProductOrder',
  description: 'A product order as operators see it.',
  examples: [
    { ...exampleOrder, userId: '0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11', cashReceivedPaise: 0 },
  ],
});

export const adminProductOrderPage = pageOf(adminProductOrderView);

const eventView = z.object({
  from: z.string().nullable(),
  to: z.string(),
  cause: z.string(),
  actor: z.string(),
  requestId: z.string().nullable(),
  at: z.iso.datetime(),
});
eventView.register(z.globalRegistry, {
  id: 'ProductOrderEvent',
  description:
    'A change of the status of an order of jewellery. In the first change, `from` is null.',
  examples: [
    {
      from: null,
      to: 'PLACED',
      cause: 'order.placed',
      actor: 'customer:0199d8f2-6a0c-7d4e-9c55-3f1f6f0a2b11',
      requestId: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      at: '2026-01-15T09:30:00.000Z',
    },
  ],
});

/** One product order with its history, oldest first. */
export const adminProductOrderDetail = adminProductOrderView.extend({
  ...documentNumbers,
  events: z.array(eventView),
  cash: z.array(cashView),
});
adminProductOrderDetail.register(z.globalRegistry, {
  id: 'OperatorProductOrderDetail',
  description: 'A product order with its history, oldest first.',
  examples: [
    {
      ...exampleOf(adminProductOrderView),
      ...exampleNumbers,
      events: [exampleOf(eventView)],
      cash: [],
    },
  ],
});

export const statusBody = z.object({ status: z.enum(productOrderStatuses) });
statusBody.register(z.globalRegistry, {
  id: 'ProductOrderStatusRequest',
  examples: [{ status: 'CONFIRMED' }],
});

const presentOrder = (order: ProductOrder) => ({
  id: order.id,
  status: order.status,
  items: order.lines.map(({ unitPricePaise, gstPaise, lineTotalPaise, ...line }) => ({
    ...line,
    unitPricePaise: toSafePaise(unitPricePaise),
    gstPaise: toSafePaise(gstPaise),
    lineTotalPaise: toSafePaise(lineTotalPaise),
  })),
  itemsTotalPaise: toSafePaise(order.itemsTotalPaise),
  gstPaise: toSafePaise(order.gstPaise),
  deliveryFeePaise: toSafePaise(order.deliveryFeePaise),
  totalPaise: toSafePaise(order.totalPaise),
  paymentMethod: 'COD' as const,
  shipment: presentShipment(order.shipment),
  createdAt: order.createdAt.toISOString(),
});

/** Presents an order to its customer. */
export const presentProductOrder = (
  order: ProductOrder,
  shippingAddress: ShippingAddress,
): z.output<typeof productOrderView> => ({ ...presentOrder(order), shippingAddress });

/** Presents an order to an operator. */
export const presentAdminProductOrder = (
  order: ProductOrder,
  shippingAddress: ShippingAddress | undefined,
): z.output<typeof adminProductOrderView> => ({
  ...presentOrder(order),
  userId: order.userId,
  shippingAddress: shippingAddress ?? null,
  cashReceivedPaise: toSafePaise(order.cashReceivedPaise),
});

export const presentEvent = (event: ProductOrderEvent): z.output<typeof eventView> => ({
  ...event,
  at: event.at.toISOString(),
});
