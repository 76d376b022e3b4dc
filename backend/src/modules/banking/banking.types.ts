import type { BankDetails, Payee, ProviderValidation } from '../../adapters/payout-provider/port.ts';
import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { TaskList } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Notify } from '../notifications/index.ts';

/** decisions, section 3: bank account. */
export const bankAccountStatuses = ['PENDING', 'VERIFIED', 'FAILED'] as const;
export type BankAccountStatus = (typeof bankAccountStatuses)[number];

/** What banking needs to know of a customer. */
export interface BankCustomer {
  readonly phone: string;
  readonly email?: string;
  readonly name?: string;
}

export interface BankingDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly blindIndex: BlindIndex;
  readonly logger: Logger;
  readonly provider: PayoutProvider;
  readonly notify: Notify;
  readonly findCustomer: (db: Db, userId: string) => Promise<BankCustomer | undefined>;
  /**
   * Whether money is on its way to the account (a payout in flight, or a sell in progress that
   * will make one), asked in the transaction that has the account's row locked.
   */
  readonly isAccountInUse: (db: Db, bankAccountId: string) => Promise<boolean>;
}

/** Where a payout goes, in clear: never logged, never stored. */
export interface PayoutDetails {
  readonly bankAccountId: string;
  readonly userId: string;
  readonly status: BankAccountStatus;
  readonly isDeleted: boolean;
  readonly payee: Payee;
  readonly bank: BankDetails;
}

/** What became of a validation's news. */
export type ValidationEffect = 'APPLIED' | 'IGNORED' | 'UNMATCHED';

export interface JanitorStep {
  readonly name: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export interface Banking {
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly janitorSteps: readonly JanitorStep[];
  /**
   * What the provider says of a validation, by an event or when asked; in the caller's
   * transaction, which has locked no holding, account or payout yet.
   */
  applyValidation(db: Db, validation: ProviderValidation): Promise<ValidationEffect>;
  /** The account's owner by the provider's id of a validation, for sealing an event. */
  ownerOfValidation(db: Db, validation: ProviderValidation): Promise<string | undefined>;
  /** Opens an account for a dispatch; undefined where there is none. */
  payoutDetails(db: Db, bankAccountId: string): Promise<PayoutDetails | undefined>;
}
