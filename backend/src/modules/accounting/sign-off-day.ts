import { addMs } from '../../platform/clock/clock.ts';
import { endOfIstDate } from '../../platform/clock/ist.ts';
import { isUniqueViolation, type Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { portalActor } from './accounting.types.ts';
import { noProviderFigures, readProviderDays, type DateRange } from './provider-days.read-model.ts';
import type { AccountingWriteDeps, PortalAuthor } from './put-statutory-parameter.ts';

/**
 * The time in ms after the end of a period by which its transactions have ended. A transaction may
 * take at most 15 s and is retried at most four times.
 */
const freezeDelayMs = 2 * 60_000;

/**
 * Returns true if the books of a period that ended at `end` can be frozen. Shortly after the end, a
 * transaction with movements of the period may still be in progress.
 */
export const canFreeze = (end: Date, now: Date): boolean => addMs(end, freezeDelayMs) <= now;

const withSigner = { signer: { select: { id: true, email: true } } } as const;

/** Lists the sign-offs of the days of a range. */
export const listSignOffs = (db: Db, { from, to }: DateRange) =>
  db.reconciliationSignOff.findMany({
    where: { date: { gte: new Date(from), lte: new Date(to) } },
    include: withSigner,
  });

export type SignOffRow = Awaited<ReturnType<typeof listSignOffs>>[number];

/**
 * Signs off the provider reconciliation of an IST day, and freezes its figures
 * (contract: accounting > Provider reconciliation).
 * @throws AppError CONFLICT until two minutes after the day's end, and for a day that is signed off
 */
export const signOffDay = async (
  { inTransaction, clock, random, audit }: AccountingWriteDeps,
  date: string,
  { principal, context }: PortalAuthor,
): Promise<SignOffRow> => {
  const signedAt = clock.now();
  if (!canFreeze(endOfIstDate(date), signedAt)) {
    const message = 'This day cannot be signed off until two minutes after it ends in India.';
    throw new AppError('CONFLICT', { message, field: 'date' });
  }
  try {
    return await inTransaction(async (tx) => {
      const days = await readProviderDays(tx, { from: date, to: date });
      const totals = days.get(date) ?? noProviderFigures;
      const row = await tx.reconciliationSignOff.create({
        data: {
          id: random.uuid(),
          date: new Date(date),
          totals: JSON.parse(JSON.stringify(totals)),
          signedBy: principal.portalUserId,
          signedAt,
        },
        include: withSigner,
      });
      await audit.record(tx, {
        action: 'accounting.provider-reconciliation.sign-off',
        ...portalActor(principal, context),
        target: { type: 'provider_reconciliation', id: date },
        after: { totals: { ...totals } as never },
      });
      return row;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('CONFLICT', { message: 'This day is already signed off.', field: 'date' });
  }
};
