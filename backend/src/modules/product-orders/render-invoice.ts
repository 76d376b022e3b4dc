import { buffer } from 'node:stream/consumers';
import anyAscii from 'any-ascii';
import { formatDecimal, formatRupees, paise, splitGst } from '../../money/index.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { ProductInvoice } from './invoices.store.ts';
import type { ProductOrderLine, ShippingAddress } from './product-orders.types.ts';

/** The content of an invoice or credit note, from the document's row and from its order. */
export interface InvoiceContent {
  readonly document: ProductInvoice;
  /** The order's invoice, to which a credit note refers. */
  readonly invoice: ProductInvoice;
  readonly orderId: string;
  readonly lines: readonly ProductOrderLine[];
  readonly address: ShippingAddress;
}

/**
 * Transliterates the letters that the document's font does not have, such as those of Indian scripts. The
 * font is one that every PDF reader has, so that it need not be embedded.
 */
const printable = (text: string): string =>
  text.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/gu, (letter) => anyAscii(letter));

const partiesOf = ({ document, invoice, orderId, address }: InvoiceContent) => {
  const { supplier } = document;
  const isCredit = document.kind === 'CREDIT_NOTE';
  return {
    title: isCredit ? 'Credit note' : 'Tax invoice',
    header: [
      `Number: ${document.number}`,
      `Date: ${istDate(document.issuedAt)}`,
      ...(isCredit ? [`For invoice: ${invoice.number} of ${istDate(invoice.issuedAt)}`] : []),
      `Order: ${orderId}`,
    ],
    supplier: [
      supplier['legalName'],
      supplier['registeredAddress'],
      supplier['gstin'] === undefined ? undefined : `GSTIN: ${supplier['gstin']}`,
    ].filter((line) => line !== undefined),
    recipient: [
      address.name,
      address.line1,
      ...(address.line2 === undefined ? [] : [address.line2]),
      `${address.city}, ${address.state} ${address.pincode}`,
      `Place of supply: ${address.state}`,
    ],
  };
};

/** The HSN code of articles of jewellery, which an invoice must state. */
const jewelleryHsn = '7113';

const goodsOf = (lines: readonly ProductOrderLine[]): string[][] => [
  ['Goods', 'HSN', 'Pieces', 'Unit price', 'Taxable value', 'GST', 'Total'],
  ...lines.map(({ name, quantity, unitPricePaise, gstPaise, lineTotalPaise }) => [
    printable(name),
    jewelleryHsn,
    String(quantity),
    formatRupees(unitPricePaise),
    formatRupees(paise(unitPricePaise * BigInt(quantity))),
    formatRupees(gstPaise),
    formatRupees(lineTotalPaise),
  ]),
];

const totalsOf = ({ document }: InvoiceContent): string[][] => {
  const { itemsTotalPaise, gstPaise, gstRateBps, deliveryFeePaise, totalPaise } = document;
  const { cgstPaise, sgstPaise } = splitGst(gstPaise);
  // Half of the rate, in percent, needs a third decimal.
  const halfRatePercent = formatDecimal(gstRateBps * 5n, 3);
  return [
    ['Taxable value', formatRupees(itemsTotalPaise)],
    [`CGST ${halfRatePercent} %`, formatRupees(cgstPaise)],
    [`SGST ${halfRatePercent} %`, formatRupees(sgstPaise)],
    ['Delivery', formatRupees(deliveryFeePaise)],
    [document.kind === 'CREDIT_NOTE' ? 'Total credited' : 'Total to pay', formatRupees(totalPaise)],
  ];
};

const [regular, bold] = ['Helvetica', 'Helvetica-Bold'];
const cellStyle = {
  border: { bottom: 0.5 },
  borderColor: '#999999',
  padding: 4,
};
const alignRight = { x: 'right', y: 'top' } as const;

/**
 * Renders an invoice or credit note as a PDF. The same document always has the same bytes, so that only
 * one version of it exists.
 */
export const renderInvoice = async (content: InvoiceContent): Promise<Buffer> => {
  // The library is loaded with the first document, because most processes never render any.
  const { default: PdfDocument } = await import('pdfkit');
  const { title, header, supplier, recipient } = partiesOf(content);
  const { number, issuedAt } = content.document;
  const pdf = new PdfDocument({
    size: 'A4',
    margin: 48,
    lang: 'en-IN',
    info: { Title: `${title} ${number}`, CreationDate: issuedAt, ModDate: issuedAt },
  });
  const bytes = buffer(pdf);
  const write = (lines: readonly string[], heading?: string): void => {
    if (heading !== undefined) pdf.font(bold).text(heading);
    pdf.font(regular);
    for (const line of lines) pdf.text(printable(line));
    pdf.moveDown();
  };
  pdf.font(bold).fontSize(18).text(title).moveDown(0.5).fontSize(10);
  write(header);
  write(supplier, 'Supplier');
  write(recipient, 'Recipient');
  pdf.fontSize(9).table({
    defaultStyle: cellStyle,
    columnStyles: ['*', 40, 42, 70, 76, 62, 76].map((width, index) => ({
      width,
      ...(index > 1 && { align: alignRight }),
    })),
    data: goodsOf(content.lines),
  });
  pdf.moveDown().table({
    defaultStyle: cellStyle,
    columnStyles: [{ width: '*' }, { width: 100, align: alignRight }],
    data: totalsOf(content),
  });
  pdf.moveDown();
  write(['All amounts are in Indian rupees (INR). Payment is cash on delivery.']);
  pdf.end();
  return bytes;
};
