import type { Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Reply } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { UseBound } from '../../platform/use-bounds/index.ts';
import { listInvoices, type DocumentKind } from './invoices.store.ts';
import { findProductOrder } from './product-orders.store.ts';
import { renderInvoice } from './render-invoice.ts';
import { openAddress } from './shipping-address.ts';

export interface InvoiceDeps {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUser'>;
  /** Of a customer, links to invoices of gold included. */
  readonly invoiceLinks: UseBound;
}

const showPdf = (bytes: Buffer, number: string): Reply => ({
  status: 200,
  bytes,
  headers: {
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${number}.pdf"`,
    'cache-control': 'no-store',
  },
});

/**
 * Returns the PDF of a document of a customer's own order (contract: jewellery > Invoices).
 * @throws AppError NOT_FOUND for another order, and while there is no such document, and
 * RATE_LIMITED with the time until there is room again
 */
export const fetchInvoice = async (
  deps: InvoiceDeps,
  request: { readonly orderId: string; readonly userId: string; readonly kind: DocumentKind },
): Promise<Reply> => {
  const { orderId, userId, kind } = request;
  const order = await findProductOrder(deps.db, orderId, userId);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const documents = await listInvoices(deps.db, orderId);
  const document = documents.find((one) => one.kind === kind);
  const invoice = documents.find((one) => one.kind === 'INVOICE');
  if (document === undefined || invoice === undefined) throw new AppError('NOT_FOUND');
  const use = await deps.invoiceLinks(deps.db, userId);
  if (!use.isTaken) {
    throw new AppError('RATE_LIMITED', { retryAfterSeconds: use.retryAfterSeconds });
  }
  const address = openAddress(await deps.vault.forUser(deps.db, userId), order);
  invariant(address, 'an order of a customer who is not deleted has an address');
  const { lines } = order;
  return showPdf(
    await renderInvoice({ document, invoice, orderId, lines, address }),
    document.number,
  );
};
