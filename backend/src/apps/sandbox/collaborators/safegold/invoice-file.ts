import type { RequestHandler } from 'express';
import { AppError } from '../../../../platform/errors/app-error.ts';
import { formatDecimal } from '../../../../money/index.ts';
import type { SafegoldStore } from './safegold-store.ts';
import { timeText } from './safegold.wire.ts';

/** Makes a PDF of one page with these lines of plain text. */
const invoicePdf = (lines: readonly string[]): Buffer => {
  const escaped = lines.map((line) => line.replace(/[\\()]/gu, String.raw`\$&`));
  const text = `BT /F1 14 Tf 72 760 Td 22 TL ${escaped.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R ' +
      '/Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + trailer, 'latin1');
};

/**
 * Serves the file that a link of fetch-invoice leads to. As at SafeGold, anyone with the link can
 * read it.
 */
export const invoiceFile =
  (store: SafegoldStore): RequestHandler =>
  (req, res) => {
    const name = String(req.params['name']);
    const id = /^SG-[BS]-(\d+)\.pdf$/u.exec(name)?.[1];
    const transaction = store.transaction(id);
    if (transaction === undefined || name !== `${transaction.invoiceId}.pdf`) {
      throw new AppError('NOT_FOUND');
    }
    const { side, weight, amountPaise, ratePaise, verifiedAtMs } = transaction;
    const lines = [
      `Invoice ${transaction.invoiceId} (sandbox)`,
      `${side === 'buy' ? 'Gold bought' : 'Gold sold'}: ${formatDecimal(weight, 4)} g`,
      `Rate: INR ${formatDecimal(ratePaise, 2)} per gram`,
      `Amount: INR ${formatDecimal(amountPaise, 2)}`,
      `Date: ${timeText(new Date(verifiedAtMs))} IST`,
    ];
    res.type('application/pdf').send(invoicePdf(lines));
  };
