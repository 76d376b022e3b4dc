import type { Paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Idempotency } from '../../platform/idempotency/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { Logger, Metrics } from '../../platform/observability/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { PaymentsDeps } from '../payments/index.ts';
import type { Gates } from '../readiness/index.ts';
import type { Limits } from '../settings/index.ts';
import type { Frequency } from './schedule.rules.ts';

/** The states of a plan (contract: states > SIP plan). */
export const planStatuses = ['ACTIVE', 'PAUSED', 'CANCELLED', 'COMPLETED'] as const;
export type PlanStatus = (typeof planStatuses)[number];

/** The customer's consent to debits at a gateway. */
export interface Mandate {
  readonly gateway: string;
  /** The sealed token that `sealMandateToken` returned. */
  readonly tokenSealed: string;
  /** The maximum amount of a debit, or undefined if the mandate has no maximum. */
  readonly maxPaise: Paise | undefined;
  /** The mandate's last day of the IST calendar, `YYYY-MM-DD`, or undefined if it has no end. */
  readonly endsOn: string | undefined;
}

/** A debit that was announced to the customer. */
interface DebitNotice {
  /** The number of the installment, from 1. */
  readonly installmentNo: number;
  /** The announced time of the debit. */
  readonly debitAt: Date;
}

/** A SIP plan: installments of one amount on the days of a schedule. */
export interface Plan {
  readonly id: string;
  readonly userId: string;
  readonly status: PlanStatus;
  /** The amount that the customer pays for one installment, tax included. */
  readonly amountPaise: Paise;
  readonly frequency: Frequency;
  /** The number of installments of the whole plan. */
  readonly durationInstallments: number;
  /** The day of the first installment in the IST calendar, `YYYY-MM-DD`. */
  readonly startDate: string;
  readonly mandate: Mandate | undefined;
  readonly installmentsRaised: number;
  /** The due time of the next installment, or null if all are raised or the plan is cancelled. */
  readonly nextDueAt: Date | null;
  /** The number of dates that were skipped or fell into a pause. */
  readonly passedOver: number;
  /** The time at which the plan was last paused, or null. */
  readonly pausedAt: Date | null;
  readonly lastNotice: DebitNotice | undefined;
  /**
   * The end of the last delay that was longer than one period, or null. Installments that fell due
   * before this time are not debited.
   */
  readonly missedUntil: Date | null;
  readonly createdAt: Date;
  readonly cancelledAt: Date | null;
  readonly completedAt: Date | null;
}

/** The dependencies that the use cases of plans share. */
export interface PlansDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'countBoundReached'>;
  readonly vault: Pick<Vault, 'forUser'>;
  readonly idempotency: Idempotency;
  readonly gates: Pick<Gates, 'isBuyOpen' | 'requireBuyOpen'>;
  readonly limits: { current(): Promise<Limits> };
  readonly notify: Notify;
  readonly payments: PaymentsDeps;
}
