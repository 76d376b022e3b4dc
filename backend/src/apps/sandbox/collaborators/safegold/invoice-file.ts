import type { RequestHandler } from 'express';
import { AppError } from '../../../../platform/errors/app-error.ts';
import { formatDecimal } from '../../../../money/index.ts';
import { invoicePdf } from './invoice-pdf.ts';
import type { SafegoldStore } from './safegold-store.ts';
import { timeText } from './safegold-wire.ts';

/** Serves the file behind the link of fetch-invoice; the link is the only key, as at SafeGold. */
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
