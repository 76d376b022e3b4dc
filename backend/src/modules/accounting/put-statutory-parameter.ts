import type { Clock } from '../../platform/clock/clock.ts';
import { istDate } from '../../platform/clock/ist.ts';
import {
  isUniqueViolation,
  lockText,
  type Db,
  type InTransaction,
} from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Auditor } from '../audit/index.ts';
import { portalActor, type PortalPrincipal } from './accounting.types.ts';
import { bookLock, findLastClosedPeriod } from './month-ends.store.ts';
import {
  findStatutoryOn,
  hasChargedGstSince,
  insertStatutory,
  type StatutoryRow,
} from '../statutory/index.ts';

export interface AccountingWriteDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: Auditor;
}

/** The portal user who writes, and the request. */
export interface PortalAuthor {
  readonly principal: PortalPrincipal;
  readonly context: RequestContext;
}

interface NewParameter {
  readonly key: string;
  readonly value: string;
  /** An IST date. */
  readonly effectiveFrom: string;
  readonly note?: string | null | undefined;
}

const isRate = (key: string): boolean => key.endsWith('_bps');
const isRateValue = (value: string): boolean => /^(?:0?\d{1,4}|10000)$/u.test(value);

const refuse = (message: string): never => {
  throw new AppError('CONFLICT', { message, field: 'effectiveFrom' });
};

/** Refuses a date that would change a closed month, or GST that customers were already charged. */
const checkDate = async (
  tx: Db,
  { key, effectiveFrom }: NewParameter,
  today: string,
): Promise<void> => {
  const closed = await findLastClosedPeriod(tx);
  if (closed !== undefined && effectiveFrom.slice(0, 7) <= closed) {
    refuse(`The books are closed up to ${closed}. Choose a date after that month.`);
  }
  if (key === 'gst_rate_bps' && effectiveFrom <= today) {
    const isCharged = await hasChargedGstSince(tx, effectiveFrom);
    if (isCharged) refuse('GST was charged on or after this date. Choose a date after today.');
  }
};

/**
 * Adds a value of a statutory parameter that applies from a day on. Earlier values stay unchanged
 * (contract: accounting > Accounting writes).
 * @throws AppError VALIDATION_FAILED for an invalid rate
 * @throws AppError CONFLICT for a date that already has a value, is in a closed month, or would
 *   change GST that was already charged
 */
export const putStatutoryParameter = async (
  { inTransaction, clock, random, audit }: AccountingWriteDeps,
  parameter: NewParameter,
  { principal, context }: PortalAuthor,
): Promise<StatutoryRow> => {
  const { key, value, effectiveFrom, note } = parameter;
  if (isRate(key) && !isRateValue(value)) {
    const message = 'A rate must be a whole number of basis points from 0 to 10000.';
    throw new AppError('VALIDATION_FAILED', { message, field: 'value' });
  }
  return inTransaction(async (tx) => {
    await lockText(tx, bookLock);
    const now = clock.now();
    await checkDate(tx, parameter, istDate(now));
    const before = await findStatutoryOn(tx, key, effectiveFrom);
    const row = {
      id: random.uuid(),
      key,
      value,
      effectiveFrom: new Date(effectiveFrom),
      note: note ?? null,
      createdBy: principal.portalUserId,
      createdAt: now,
    };
    try {
      await insertStatutory(tx, row);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      refuse('This parameter already has a value from this date on. Choose another date.');
    }
    await audit.record(tx, {
      action: 'accounting.statutory-parameter.put',
      ...portalActor(principal, context),
      target: { type: 'statutory_parameter', id: key },
      ...(before !== undefined && { before: { value: before.value } }),
      after: { value, effectiveFrom },
      ...(typeof note === 'string' && { sealed: { after: { note } } }),
    });
    return row;
  });
};
