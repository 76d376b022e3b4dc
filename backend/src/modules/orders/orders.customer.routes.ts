import { UNKNOWN_TRANSACTION, type GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  betweenQuery,
  defineRoute,
  idParams,
  ok,
  pageQuery,
  type Page,
  type Route,
} from '../../platform/http/index.ts';
import type { UseBound } from '../../platform/use-bounds/index.ts';
import { customerAccess } from '../identity/index.ts';
import { listOrders, type OrderFilter } from './list-orders.store.ts';
import { findOrder } from './orders.store.ts';
import type { GoldOrderStatus } from './orders.types.ts';
import {
  goldOrderPage,
  goldOrderView,
  invoiceView,
  ownOrdersQuery,
  presentOrder,
} from './orders.schemas.ts';

/**
 * The states in which an order has an invoice. The provider has invoices only for gold that was
 * bought or sold.
 */
const statesWithInvoice: ReadonlySet<GoldOrderStatus> = new Set(['ALLOCATED', 'COMPLETED']);

interface OrderRouteDeps {
  readonly db: Db;
  readonly provider: Pick<GoldProvider, 'invoiceLink'>;
  /** The rate limit of invoice links for each customer, over all of their orders. */
  readonly invoiceBound: UseBound;
}

/**
 * Fetches the gold provider's link to the invoice of a customer's own order (contract: buying >
 * Invoice). Anyone who has the link can read the document, so it is neither stored nor logged. Each
 * request for a link is a call to the provider.
 * @throws AppError NOT_FOUND if the order is not the customer's or has no invoice yet, RATE_LIMITED
 *   with the time until the next call is allowed, and PROVIDER_UNAVAILABLE if the provider gives no
 *   readable response
 */
const fetchInvoiceUrl = async (
  deps: OrderRouteDeps,
  orderId: string,
  userId: string,
): Promise<string> => {
  const order = await findOrder(deps.db, orderId);
  if (order?.userId !== userId || !statesWithInvoice.has(order.status)) {
    throw new AppError('NOT_FOUND');
  }
  const { providerTxId } = order;
  if (providerTxId === null) throw new AppError('NOT_FOUND');
  const use = await deps.invoiceBound(deps.db, userId);
  if (!use.isAllowed) {
    throw new AppError('RATE_LIMITED', { retryAfterSeconds: use.retryAfterSeconds });
  }
  const link = await deps.provider.invoiceLink({ providerTxId });
  if (link.kind === 'done') return link.value;
  const hasNoInvoice = link.kind === 'refused' && link.code === UNKNOWN_TRANSACTION;
  throw new AppError(hasNoInvoice ? 'NOT_FOUND' : 'PROVIDER_UNAVAILABLE', { cause: link });
};

/** Declares `/gold/orders` and `/portfolio/history`. */
export const createOrderCustomerRoutes = (deps: OrderRouteDeps): Route[] => {
  const { db } = deps;
  const replyWithOrders = async (filter: OrderFilter & { userId: string }, page: Page) => {
    const { rows, total } = await listOrders(db, filter, page);
    return ok({ items: rows.map(presentOrder), total, ...page });
  };

  return [
    defineRoute({
      method: 'GET',
      path: '/gold/orders',
      summary: "The customer's gold orders, newest first",
      tags: ['gold'],
      access: customerAccess,
      query: ownOrdersQuery,
      responses: { 200: goldOrderPage },
      handler: async ({ query: { page, limit, ...filter }, principal: { userId } }) =>
        replyWithOrders({ ...filter, userId }, { page, limit }),
    }),
    defineRoute({
      method: 'GET',
      path: '/gold/orders/:id',
      summary: 'One gold order',
      tags: ['gold'],
      access: customerAccess,
      params: idParams,
      responses: { 200: goldOrderView },
      handler: async ({ params, principal }) => {
        const order = await findOrder(db, params.id);
        if (order?.userId !== principal.userId) throw new AppError('NOT_FOUND');
        return ok(presentOrder(order));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/gold/orders/:id/invoice',
      summary: "The gold provider's link to the invoice of an allocated or completed order",
      tags: ['gold'],
      access: customerAccess,
      params: idParams,
      responses: { 200: invoiceView },
      errors: ['PROVIDER_UNAVAILABLE'],
      handler: async ({ params, principal }) =>
        ok({ url: await fetchInvoiceUrl(deps, params.id, principal.userId) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/portfolio/history',
      summary: "The customer's gold orders of every type and status, newest first",
      tags: ['portfolio'],
      access: customerAccess,
      query: pageQuery.extend(betweenQuery),
      responses: { 200: goldOrderPage },
      handler: async ({ query: { page, limit, ...between }, principal: { userId } }) =>
        replyWithOrders({ ...between, userId }, { page, limit }),
    }),
  ];
};
