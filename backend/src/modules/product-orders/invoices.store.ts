import { z } from 'zod';
import { fromSafeBps, paise, type Bps, type Paise } from '../../money/index.ts';
import type { Db } from '../../platform/db/index.ts';

/*
 * The table `product_invoice`. Triggers of the database insert its rows when goods are dispatched and
 * returned, so that the numbers have no gaps. The application may only read the rows.
 */

const documentKinds = ['INVOICE', 'CREDIT_NOTE'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** The tax invoice of an order, or the credit note of a returned order. */
export interface ProductInvoice {
  readonly kind: DocumentKind;
  readonly number: string;
  readonly itemsTotalPaise: Paise;
  readonly gstPaise: Paise;
  readonly gstRateBps: Bps;
  readonly deliveryFeePaise: Paise;
  readonly totalPaise: Paise;
  /** The house's legal name, address and GSTIN at that time, by their names in the legal content. */
  readonly supplier: Readonly<Record<string, string>>;
  readonly issuedAt: Date;
}

const supplierSchema = z.record(z.string(), z.string());

/** Returns the documents of an order: its invoice, then its credit note. */
export const listInvoices = async (db: Db, orderId: string): Promise<ProductInvoice[]> => {
  const rows = await db.productInvoice.findMany({
    where: { orderId },
    orderBy: { kind: 'desc' },
  });
  return rows.flatMap((row) => {
    const kind = documentKinds.find((known) => known === row.kind);
    if (kind === undefined) return [];
    return {
      kind,
      number: row.number,
      itemsTotalPaise: paise(row.itemsTotalPaise),
      gstPaise: paise(row.gstPaise),
      gstRateBps: fromSafeBps(row.gstRateBps),
      deliveryFeePaise: paise(row.deliveryFeePaise),
      totalPaise: paise(row.totalPaise),
      supplier: supplierSchema.parse(row.supplier),
      issuedAt: row.issuedAt,
    };
  });
};
