import { z } from 'zod';
import { fromSafePaise, toSafePaise } from '../../money/index.ts';
import { istDay, plainLine } from '../../platform/http/index.ts';
import {
  productOrderStatuses,
  type ProductOrderEvent,
  type ReceivedCash,
  type Shipment,
} from './product-orders.types.ts';

/** The number that a carrier prints on a parcel. */
const consignmentNumber = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 /-]{2,39}$/u, 'must be 3 to 40 letters, digits, blanks, / or -');

export const shipmentBody = z.object({
  carrier: plainLine(60),
  consignmentNumber: consignmentNumber.optional(),
});
shipmentBody.register(z.globalRegistry, {
  id: 'ShipmentRequest',
  examples: [{ carrier: 'Blue Dart', consignmentNumber: 'BD-7729-0041' }],
});

export const shipmentView = z.object({
  carrier: z.string(),
  consignmentNumber: z.string().nullable(),
});
shipmentView.register(z.globalRegistry, {
  id: 'Shipment',
  description: 'The carrier of a parcel and its consignment number.',
  examples: [{ carrier: 'Blue Dart', consignmentNumber: 'BD-7729-0041' }],
});

export const presentShipment = (
  shipment: Shipment | undefined,
): z.output<typeof shipmentView> | null =>
  shipment === undefined
    ? null
    : { carrier: shipment.carrier, consignmentNumber: shipment.consignmentNumber ?? null };

/** A status of an order as its customer sees it. The operator who set it is not shown. */
export const statusSince = z.object({
  status: z.enum(productOrderStatuses),
  at: z.iso.datetime(),
});
statusSince.register(z.globalRegistry, {
  id: 'ProductOrderStatusSince',
  description: 'A status of an order of jewellery, and the time at which the order reached it.',
  examples: [{ status: 'PLACED', at: '2026-01-15T09:30:00.000Z' }],
});

export const presentHistory = (
  events: readonly ProductOrderEvent[],
): z.input<typeof statusSince>[] =>
  events.map(({ to, at }) => ({
    status: statusSince.shape.status.parse(to),
    at: at.toISOString(),
  }));

export const cashBody = z.object({
  amountPaise: z.int().min(1).max(Number.MAX_SAFE_INTEGER).transform(fromSafePaise),
  reference: plainLine(100).describe(
    'The reference of the receipt. The same reference of an order is recorded only once.',
  ),
  receivedOn: istDay
    .describe('The IST date on which the cash was received. The default is today.')
    .optional(),
});
cashBody.register(z.globalRegistry, {
  id: 'CashReceivedRequest',
  examples: [
    { amountPaise: 2_651_961, reference: 'Blue Dart remittance 4471', receivedOn: '2026-01-20' },
  ],
});

export const cashView = z.object({
  id: z.uuid(),
  amountPaise: z.int().min(1),
  reference: z.string(),
  receivedOn: z.iso.date(),
  recordedBy: z.uuid(),
  recordedAt: z.iso.datetime(),
});
cashView.register(z.globalRegistry, {
  id: 'CashReceived',
  description: 'Cash that was received for a delivered order.',
  examples: [
    {
      id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e03',
      amountPaise: 2_651_961,
      reference: 'Blue Dart remittance 4471',
      receivedOn: '2026-01-20',
      recordedBy: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e04',
      recordedAt: '2026-01-20T09:30:00.000Z',
    },
  ],
});

export const presentCash = (cash: ReceivedCash): z.output<typeof cashView> => ({
  ...cash,
  amountPaise: toSafePaise(cash.amountPaise),
  recordedAt: cash.recordedAt.toISOString(),
});
