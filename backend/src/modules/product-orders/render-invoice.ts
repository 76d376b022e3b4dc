import { buffer } from 'node:stream/consumers';
import anyAscii from 'any-ascii';
import { formatDecimal, formatRupees, paise, splitGst } from '../../money/index.ts';
import { istDate } from '../../platform/clock/ist.ts';
import type { ProductInvoice } from './invoices.store.ts';
import type { ProductOrderLine, ShippingAddress } from './product-orders.types.ts';

/** The content of a document: its row, and what the order keeps of goods and address. */
export interface PrintedInvoice {
  readonly document: ProductInvoice;
  /** The invoice that a credit note is about. */
  readonly invoice: ProductInvoice;
  readonly orderId: string;
  readonly lines: readonly ProductOrderLine[];
  readonly address: ShippingAddress;
}

/**
 * Writes a text in the letters of the document's font. Others, such as those of Indian scripts, are
 * transliterated: the font that every reader of PDF has is without them.
 */
const printable = (text: string): string =>
  text.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/gu, (letter) => anyAscii(letter));

const partiesOf = ({ document, invoice, orderId, address }: PrintedInvoice) => {
  const { supplier } = document;
  const isCredit = document.kind === 'CREDIT_NOTE';
  return {
    title: isCredit ? 'Credit note' : 'Tax invoice',
    head: [
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

/** The chapter of the customs tariff for articles of jewellery, which an invoice has to name. */
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

const sumsOf = ({ document }: PrintedInvoice): string[][] => {
  const { itemsTotalPaise, gstPaise, gstRateBps, deliveryFeePaise, totalPaise } = document;
  const { cgstPaise, sgstPaise } = splitGst(gstPaise);
  // In percent: a half of a rate has a decimal more than the rate itself.
  const half = formatDecimal(gstRateBps * 5n, 3);
  return [
    ['Taxable value', formatRupees(itemsTotalPaise)],
    [`CGST ${half} %`, formatRupees(cgstPaise)],
    [`SGST ${half} %`, formatRupees(sgstPaise)],
    ['Delivery', formatRupees(deliveryFeePaise)],
    [document.kind === 'CREDIT_NOTE' ? 'Total credited' : 'Total to pay', formatRupees(totalPaise)],
  ];
};

const [regular, bold] = ['Helvetica', 'Helvetica-Bold'];
const cell = {
  border: { bottom: 0.5 },
  borderColor: '#999999',
  padding: 4,
};
const toRight = { x: 'right', y: 'top' } as const;

/**
 * Renders the PDF of an invoice or credit note. The same document has the same bytes each time, so
 * that there are never two versions of it.
 */
export const renderInvoice = async (printed: PrintedInvoice): Promise<Buffer> => {
  // Loaded by the first invoice: most processes never render one.
  const { default: PdfDocument } = await import('pdfkit');
  const { title, head, supplier, recipient } = partiesOf(printed);
  const { number, issuedAt } = printed.document;
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
  write(head);
  write(supplier, 'Supplier');
  write(recipient, 'Recipient');
  pdf.fontSize(9).table({
    defaultStyle: cell,
    columnStyles: ['*', 40, 42, 70, 76, 62, 76].map((width, at) => ({
      width,
      ...(at > 1 && { align: toRight }),
    })),
    data: goodsOf(printed.lines),
  });
  pdf.moveDown().table({
    defaultStyle: cell,
    columnStyles: [{ width: '*' }, { width: 100, align: toRight }],
    data: sumsOf(printed),
  });
  pdf.moveDown();
  write(['All amounts are in Indian rupees (INR). Payment is cash on delivery.']);
  pdf.end();
  return bytes;
};
