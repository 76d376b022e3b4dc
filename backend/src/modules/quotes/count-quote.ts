import { AppError } from '../../platform/errors/app-error.ts';
import type { QuoteDeps } from './quotes.types.ts';

/**
 * Counts a quote of a customer before it is drafted, because each quote may cost a call to the
 * provider.
 * @throws AppError QUOTE_LIMIT with the time until the next quote is allowed
 */
export const countQuote = async (
  { db, quoteBound }: Pick<QuoteDeps, 'db' | 'quoteBound'>,
  userId: string,
): Promise<void> => {
  const use = await quoteBound(db, userId);
  if (use.isAllowed) return;
  throw new AppError('QUOTE_LIMIT', { retryAfterSeconds: use.retryAfterSeconds });
};
