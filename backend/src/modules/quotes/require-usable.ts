import { AppError } from '../../platform/errors/app-error.ts';
import type { QuoteStatus } from '../orders/index.ts';

/** @throws AppError QUOTE_USED, QUOTE_EXPIRED */
export const requireUsable = (
  quote: { readonly status: QuoteStatus; readonly expiresAt: Date },
  now: Date,
): void => {
  if (quote.status === 'CONSUMED') throw new AppError('QUOTE_USED');
  if (quote.status === 'EXPIRED' || quote.expiresAt <= now) throw new AppError('QUOTE_EXPIRED');
};
