import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  betweenQuery,
  created,
  defineRoute,
  idParams,
  ok,
  pageQuery,
  replayed,
  type Route,
} from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import { customerAccess } from '../identity/index.ts';
import { cancelOrder, type ChangeStatusDeps } from './change-order-status.ts';
import { presentHistory } from './delivery.schemas.ts';
import { fetchInvoice, type InvoiceDeps } from './fetch-invoice.ts';
import { listInvoices } from './invoices.store.ts';
import { placeProductOrder, type PlaceOrderDeps } from './place-product-order.ts';
import {
  placeOrderBody,
  presentNumbers,
  presentProductOrder,
  productOrderDetail,
  productOrderPage,
  productOrderView,
} from './product-orders.schemas.ts';
import { findProductOrder, listEvents, listProductOrders } from './product-orders.store.ts';
import type { ProductOrder } from './product-orders.types.ts';
import { openAddress } from './shipping-address.ts';

type ProductOrderDeps = PlaceOrderDeps & ChangeStatusDeps & InvoiceDeps;

const shared = { tags: ['product orders'], access: customerAccess } as const;

/** Presents orders of a signed-in customer, who always has a data key. */
const presentOrders = async (
  { db, vault }: { readonly db: Db; readonly vault: PlaceOrderDeps['vault'] },
  userId: string,
  orders: readonly ProductOrder[],
) => {
  const sealer = await vault.forUser(db, userId);
  return orders.map((order) => {
    const address = openAddress(sealer, order);
    invariant(address, 'an order of a customer who is not deleted has an address');
    return presentProductOrder(order, address);
  });
};

/** Returns one order of a customer with its statuses. @throws AppError NOT_FOUND */
const readOrder = async (deps: ProductOrderDeps, userId: string, id: string) => {
  const order = await findProductOrder(deps.db, id, userId);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const [[view], events, documents] = await Promise.all([
    presentOrders(deps, userId, [order]),
    listEvents(deps.db, id),
    listInvoices(deps.db, id),
  ]);
  return { ...view, ...presentNumbers(documents), history: presentHistory(events) };
};

/** Declares the route of an order's invoice or credit note. */
const documentRoute = (deps: InvoiceDeps, document: 'invoice' | 'credit-note', summary: string) =>
  defineRoute({
    ...shared,
    method: 'GET',
    path: `/product-orders/:id/${document}`,
    summary,
    params: idParams,
    responses: { 200: null },
    produces: ['application/pdf'],
    errors: ['NOT_FOUND', 'RATE_LIMITED'],
    handler: ({ params: { id: orderId }, principal: { userId } }) =>
      fetchInvoice(deps, {
        orderId,
        userId,
        kind: document === 'invoice' ? 'INVOICE' : 'CREDIT_NOTE',
      }),
  });

/**
 * Declares the customers' routes of product orders (contract: jewellery > Product order routes).
 */
export const createProductOrderCustomerRoutes = (deps: ProductOrderDeps): Route[] => [
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/product-orders',
    summary: 'Order jewellery, with payment on delivery',
    body: placeOrderBody,
    responses: { 201: productOrderView, 200: productOrderView },
    errors: [
      'PRODUCT_UNAVAILABLE',
      'LIMIT_EXCEEDED',
      'IDEMPOTENCY_KEY_REUSED',
      'PRICE_CHANGED',
      'CONFLICT',
      'SERVICE_UNAVAILABLE',
    ],
    handler: async ({ body, principal: { userId }, context: { requestId } }) => {
      const { order, address, isReplay } = await placeProductOrder(deps, {
        userId,
        body,
        requestId,
      });
      const view = presentProductOrder(order, address);
      return isReplay ? replayed(view) : created(view);
    },
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/product-orders',
    summary: "The caller's product orders, newest first",
    query: pageQuery.extend(betweenQuery),
    responses: { 200: productOrderPage },
    handler: async ({ query: { page, limit, ...range }, principal: { userId } }) => {
      const pageBounds = { page, limit };
      const { rows, total } = await listProductOrders(deps.db, { userId, ...range }, pageBounds);
      return ok({ items: await presentOrders(deps, userId, rows), total, ...pageBounds });
    },
  }),
  defineRoute({
    ...shared,
    method: 'GET',
    path: '/product-orders/:id',
    summary: 'One product order',
    params: idParams,
    responses: { 200: productOrderDetail },
    errors: ['NOT_FOUND'],
    handler: async ({ params, principal: { userId } }) =>
      ok(await readOrder(deps, userId, params.id)),
  }),
  defineRoute({
    ...shared,
    method: 'POST',
    path: '/product-orders/:id/cancel',
    summary: 'Cancel a product order that is not packed yet',
    params: idParams,
    responses: { 200: productOrderDetail },
    errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION'],
    handler: async ({ params: { id }, principal: { userId }, context: { requestId } }) => {
      await cancelOrder(deps, { orderId: id, userId, requestId });
      return ok(await readOrder(deps, userId, id));
    },
  }),
  documentRoute(deps, 'invoice', 'The tax invoice of a dispatched order, as a PDF'),
  documentRoute(deps, 'credit-note', 'The credit note of a returned order, as a PDF'),
];
