import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { defineRoute, idParams, ok, type Route } from '../../platform/http/index.ts';
import { adminAccess, anyAdmin } from '../admins/index.ts';
import { listCash } from './cash.store.ts';
import { changeOrderStatus, type ChangeStatusDeps } from './change-order-status.ts';
import { cashBody, presentCash, shipmentBody } from './delivery.schemas.ts';
import { listInvoices } from './invoices.store.ts';
import { setShipment, type ShipmentDeps } from './set-shipment.ts';
import {
  adminProductOrderDetail,
  adminProductOrderPage,
  adminProductOrdersQuery,
  presentAdminProductOrder,
  presentEvent,
  presentNumbers,
  statusBody,
} from './product-orders.schemas.ts';
import { findProductOrder, listEvents, listProductOrders } from './product-orders.store.ts';
import { recordCash, type CashDeps } from './record-cash.ts';
import type { ProductOrder } from './product-orders.types.ts';
import { openAddress } from './shipping-address.ts';

interface ProductOrderAdminDeps extends ChangeStatusDeps, ShipmentDeps, CashDeps {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers'>;
}

const presentOrders = async (
  { db, vault }: ProductOrderAdminDeps,
  orders: readonly ProductOrder[],
) => {
  const sealers = await vault.forUsers(
    db,
    orders.map(({ userId }) => userId),
  );
  return orders.map((order) =>
    presentAdminProductOrder(order, openAddress(sealers.get(order.userId), order)),
  );
};

/** Returns one order with its history. @throws AppError NOT_FOUND */
const readOrder = async (deps: ProductOrderAdminDeps, id: string) => {
  const order = await findProductOrder(deps.db, id);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const [[view], events, cash, documents] = await Promise.all([
    presentOrders(deps, [order]),
    listEvents(deps.db, id),
    listCash(deps.db, id),
    listInvoices(deps.db, id),
  ]);
  const numbers = presentNumbers(documents);
  return { ...view, ...numbers, events: events.map(presentEvent), cash: cash.map(presentCash) };
};

const tags = ['product orders'];
const writers = adminAccess('SUPER_ADMIN', 'ADMIN');

/** Declares the routes by which operators set the shipment and record received cash. */
const createDeliveryRoutes = (deps: ProductOrderAdminDeps): Route[] => [
  defineRoute({
    method: 'PUT',
    path: '/product-orders/:id/shipment',
    summary: 'Set the carrier and the consignment number of a parcel',
    tags,
    access: writers,
    params: idParams,
    body: shipmentBody,
    responses: { 200: adminProductOrderDetail },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id }, body, principal, context }) => {
      await setShipment(deps, id, body, { principal, context });
      return ok(await readOrder(deps, id));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/product-orders/:id/cash',
    summary: 'Record cash that was received for a delivered order',
    tags,
    access: writers,
    params: idParams,
    body: cashBody,
    responses: { 200: adminProductOrderDetail },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'CONFLICT'],
    handler: async ({ params: { id }, body, principal, context }) => {
      await recordCash(deps, id, body, { principal, context });
      return ok(await readOrder(deps, id));
    },
  }),
];

/**
 * Declares `/product-orders` of the admin API (contract: jewellery > Product orders of operators).
 */
export const createProductOrderAdminRoutes = (deps: ProductOrderAdminDeps): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/product-orders',
    summary: "Customers' product orders, newest first",
    tags,
    access: anyAdmin,
    query: adminProductOrdersQuery,
    responses: { 200: adminProductOrderPage },
    handler: async ({ query: { page, limit, ...filter } }) => {
      const { rows, total } = await listProductOrders(deps.db, filter, { page, limit });
      return ok({ items: await presentOrders(deps, rows), total, page, limit });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/product-orders/:id',
    summary: 'One product order with its history',
    tags,
    access: anyAdmin,
    params: idParams,
    responses: { 200: adminProductOrderDetail },
    errors: ['NOT_FOUND'],
    handler: async ({ params }) => ok(await readOrder(deps, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/product-orders/:id/status',
    summary: 'Set the status of a product order',
    tags,
    access: writers,
    params: idParams,
    body: statusBody,
    responses: { 200: adminProductOrderDetail },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id }, body, principal: { adminId }, context: { requestId } }) => {
      await changeOrderStatus(deps, { orderId: id, to: body.status, adminId, requestId });
      return ok(await readOrder(deps, id));
    },
  }),
  ...createDeliveryRoutes(deps),
];
