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
  /** Limits how many documents a customer may fetch in ten minutes, including links to invoices of gold. */
  readonly invoiceBound: UseBound;
}

const pdfReply = (bytes: Buffer, number: string): Reply => ({
  status: 200,
  bytes,
  headers: {
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${number}.pdf"`,
    'cache-control': 'no-store',
  },
});

/**
 * Returns the invoice or credit note of a customer's own order as a PDF (contract: jewellery > Invoices).
 * @throws AppError NOT_FOUND if the order is another customer's or has no such document, and
 *   RATE_LIMITED with the time until the next document is allowed
 */
export const fetchInvoice = async (
  deps: InvoiceDeps,
  request: { readonly orderId: string; readonly userId: string; readonly kind: DocumentKind },
): Promise<Reply> => {
  const { orderId, userId, kind } = request;
  const order = await findProductOrder(deps.db, orderId, userId);
  if (order === undefined) throw new AppError('NOT_FOUND');
  const documents = await listInvoices(deps.db, orderId);
  const document = documents.find((each) => each.kind === kind);
  const invoice = documents.find((each) => each.kind === 'INVOICE');
  if (document === undefined || invoice === undefined) throw new AppError('NOT_FOUND');
  const use = await deps.invoiceBound(deps.db, userId);
  if (!use.isAllowed) {
    throw new AppError('RATE_LIMITED', { retryAfterSeconds: use.retryAfterSeconds });
  }
  const address = openAddress(await deps.vault.forUser(deps.db, userId), order);
  invariant(address, 'an order of a customer who is not deleted has an address');
  const { lines } = order;
  return pdfReply(
    await renderInvoice({ document, invoice, orderId, lines, address }),
    document.number,
  );
};
