import { lockText } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { portalActor } from './accounting.types.ts';
import {
  bookLock,
  findLastClosedPeriod,
  findMonthEnd,
  insertReopening,
} from './month-ends.store.ts';
import type { AccountingWriteDeps, PortalAuthor } from './put-statutory-parameter.ts';

/**
 * Reopens the newest closed month. Its frozen totals are kept, and its next close is a new revision
 * (contract: accounting > Month end).
 * @throws AppError PERMISSION_DENIED for a user who is not a super admin
 * @throws AppError CONFLICT for a month that is not closed, or while a later month is closed
 */
export const reopenMonth = async (
  { inTransaction, clock, audit }: AccountingWriteDeps,
  { period, reason }: { readonly period: string; readonly reason: string },
  { principal, context }: PortalAuthor,
): Promise<void> => {
  if (principal.role !== 'super_admin') throw new AppError('PERMISSION_DENIED');
  await inTransaction(async (tx) => {
    await lockText(tx, bookLock);
    const close = await findMonthEnd(tx, period);
    if (close === undefined) {
      throw new AppError('CONFLICT', { message: 'This month is not closed.', field: 'period' });
    }
    const last = await findLastClosedPeriod(tx);
    if (last !== period) {
      const message = 'A later month is closed. Reopen that month first.';
      throw new AppError('CONFLICT', { message, field: 'period', details: { laterMonth: last } });
    }
    const reopenedBy = principal.portalUserId;
    await insertReopening(tx, { closeId: close.id, reason, reopenedBy, reopenedAt: clock.now() });
    await audit.record(tx, {
      action: 'accounting.month-end.reopen',
      ...portalActor(principal, context),
      target: { type: 'month_end_close', id: period },
      before: { period, revision: close.revision },
      sealed: { after: { reason } },
    });
  });
};
