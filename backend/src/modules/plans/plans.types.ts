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

/** The customer's consent to debits: at which gateway, and its token there. */
export interface Mandate {
  readonly gateway: string;
  /** From `sealMandateToken`. */
  readonly tokenSealed: string;
  /** The most that one debit may be, or undefined where the mandate names none. */
  readonly maxPaise: Paise | undefined;
  /** Its last day of the IST calendar, `YYYY-MM-DD`, or undefined where it names none. */
  readonly endsOn: string | undefined;
}

/** A debit that was announced to the customer. */
interface DebitNotice {
  /** From 1. */
  readonly installmentNo: number;
  /** The moment for which it was announced. */
  readonly debitAt: Date;
}

/** A SIP plan: installments of one amount on the days of a schedule. */
export interface Plan {
  readonly id: string;
  readonly userId: string;
  readonly status: PlanStatus;
  /** Paid by the customer for one installment, tax included. */
  readonly amountPaise: Paise;
  readonly frequency: Frequency;
  /** The number of installments of the whole plan. */
  readonly durationInstallments: number;
  /** A day of the IST calendar, `YYYY-MM-DD`. */
  readonly startDate: string;
  readonly mandate: Mandate | undefined;
  readonly installmentsRaised: number;
  /** The next installment falls due then, or null once all are raised, and of a cancelled plan. */
  readonly nextDueAt: Date | null;
  /** Dates of the schedule that were skipped, or fell into a pause. */
  readonly passedOver: number;
  /** The time at which it was last paused. */
  readonly pausedAt: Date | null;
  readonly lastNotice: DebitNotice | undefined;
  /**
   * The plan was delayed for longer than one period until then, and installments that fell due
   * before are not debited.
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
  readonly metrics: Pick<Metrics, 'countBound'>;
  readonly vault: Pick<Vault, 'forUser'>;
  readonly idempotency: Idempotency;
  readonly gates: Pick<Gates, 'isBuyOpen' | 'requireBuyOpen'>;
  readonly limits: { current(): Promise<Limits> };
  readonly notify: Notify;
  readonly payments: PaymentsDeps;
}
