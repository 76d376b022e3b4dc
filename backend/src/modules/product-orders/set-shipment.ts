import type { z } from 'zod';
import type { Clock } from '../../platform/clock/clock.ts';
import type { InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { shipmentBody } from './delivery.schemas.ts';
import { lockProductOrder, updateShipment } from './product-orders.store.ts';
import type { ProductOrderStatus, Shipment } from './product-orders.types.ts';

export interface ShipmentDeps {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
}

/** Returns true while the carrier of an order may be set. */
const hasParcel = (status: ProductOrderStatus): boolean =>
  status === 'PACKED' || status === 'SHIPPED';

const auditedFields = (shipment: Shipment | undefined) => ({
  carrier: shipment?.carrier ?? null,
  consignmentNumber: shipment?.consignmentNumber ?? null,
});

/**
 * Stores or corrects the carrier and the consignment number of an order, with the audit row in the same
 * transaction. The number is personal data, because a carrier may disclose the address for it.
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION unless the order is PACKED or SHIPPED
 */
export const setShipment = (
  { inTransaction, clock, audit }: ShipmentDeps,
  orderId: string,
  body: z.output<typeof shipmentBody>,
  { principal, context }: ByOperator,
): Promise<void> =>
  inTransaction(async (tx) => {
    const order = await lockProductOrder(tx, orderId);
    if (order === undefined) throw new AppError('NOT_FOUND');
    const { status, userId } = order;
    if (!hasParcel(status)) {
      const message =
        'A carrier can only be set after an order is packed and before it is delivered.';
      throw new AppError('ILLEGAL_TRANSITION', { message, details: { status } });
    }
    await updateShipment(tx, orderId, body, clock.now());
    await audit.record(tx, {
      action: 'product_order.shipment',
      ...adminActor(principal, context),
      target: { type: 'product_order', id: orderId },
      sealed: { before: auditedFields(order.shipment), after: auditedFields(body) },
      sealedFor: userId,
    });
  });
