import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { Paise } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { TaskList } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Auditor } from '../audit/index.ts';
import type { Banking } from '../banking/index.ts';
import type { Notify } from '../notifications/index.ts';
import type { SellSettlement } from './sell-settlement.ts';

/** decisions, section 3: payout. */
export const payoutStatuses = ['PENDING', 'PROCESSING', 'PAID', 'FAILED', 'REVERSED'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

export interface Payout {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly bankAccountId: string;
  readonly accountLast4: string;
  readonly amountPaise: Paise;
  readonly status: PayoutStatus;
  readonly mode: string;
  /** The number of the newest attempt; 0 while none was started. */
  readonly attempt: number;
  readonly providerPayoutId: string | null;
  readonly utr: string | null;
  readonly failureReason: string | null;
  readonly approvalRequired: boolean;
  readonly approvedBy: string | null;
  readonly createdAt: Date;
  readonly paidAt: Date | null;
}

export interface NewPayout {
  readonly userId: string;
  readonly orderId: string;
  readonly bankAccountId: string;
  readonly amountPaise: Paise;
}

/** A payout as its customer sees it (decisions, section 4). */
export interface PayoutView {
  readonly id: string;
  readonly orderId: string;
  readonly bankAccountId: string;
  readonly accountLast4: string;
  readonly amountPaise: number;
  readonly status: PayoutStatus;
  readonly mode: string;
  readonly utr: string | null;
  readonly attempt: number;
  readonly failureReason: string | null;
  readonly createdAt: string;
  readonly paidAt: string | null;
}

export interface PayoutsDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly logger: Logger;
  readonly provider: PayoutProvider;
  readonly notify: Notify;
  readonly audit: Auditor;
  readonly sellSettlement: SellSettlement;
  readonly banking: Pick<Banking, 'applyValidation' | 'fundAccountOf' | 'lockStanding' | 'ownerOfValidation'>;
}

export interface JanitorStep {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export interface Payouts {
  /** GET /payouts, GET /payouts/:id. */
  readonly customerRoutes: Route[];
  /** POST /webhooks/payout, mounted on the customer API. */
  readonly webhookRoutes: Route[];
  readonly adminRoutes: Route[];
  readonly jobs: TaskList;
  readonly janitorSteps: readonly JanitorStep[];
  /**
   * In the transaction that confirms a sell: the payout, PENDING, and its dispatch job when it
   * needs no approval. Answers its id. The database refuses a second one for an order.
   */
  insertPayout(db: Db, payout: NewPayout): Promise<string>;
  findPayoutOfOrder(db: Db, orderId: string): Promise<Payout | undefined>;
  presentPayout(payout: Payout): PayoutView;
}
