import { UNKNOWN_TRANSACTION, type GoldProvider } from '../../adapters/gold-provider/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { findOrder } from './orders.store.ts';
import type { GoldOrderStatus } from './orders.types.ts';

/** The provider has an invoice only for gold that was bought or sold. */
const invoiced: ReadonlySet<GoldOrderStatus> = new Set(['ALLOCATED', 'COMPLETED']);

/**
 * Fetches the gold provider's link to the invoice of a customer's own order. The link is the key to
 * the document, so it is neither stored nor logged (contract: buying > Invoice).
 * @throws AppError NOT_FOUND for another order, and while the provider has none;
 * PROVIDER_UNAVAILABLE when it gives no readable answer
 */
export const fetchInvoiceUrl = async (
  deps: { readonly db: Db; readonly provider: Pick<GoldProvider, 'invoiceLink'> },
  orderId: string,
  userId: string,
): Promise<string> => {
  const order = await findOrder(deps.db, orderId);
  if (order?.userId !== userId || !invoiced.has(order.status)) throw new AppError('NOT_FOUND');
  const { providerTxId } = order;
  if (providerTxId === null) throw new AppError('NOT_FOUND');
  const link = await deps.provider.invoiceLink({ providerTxId });
  if (link.kind === 'done') return link.value;
  const hasNone = link.kind === 'refused' && link.code === UNKNOWN_TRANSACTION;
  throw new AppError(hasNone ? 'NOT_FOUND' : 'PROVIDER_UNAVAILABLE', { cause: link });
};
