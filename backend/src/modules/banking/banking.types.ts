import type { FundAccount, PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { ProviderValidation } from '../../adapters/payout-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { TaskList, Sweep } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { Notify } from '../notifications/index.ts';

/** decisions, section 3: bank account. */
export const bankAccountStatuses = ['PENDING', 'VERIFIED', 'FAILED'] as const;
export type BankAccountStatus = (typeof bankAccountStatuses)[number];

export interface BankAccount {
  readonly id: string;
  readonly userId: string;
  readonly status: BankAccountStatus;
  readonly isPrimary: boolean;
  /** Asked to be primary when it was added; comes true once it is verified. */
  readonly primaryWanted: boolean;
  readonly accountLast4: string;
  readonly ifsc: string;
  readonly numberSealed: string;
  readonly holderNameSealed: string;
  readonly nameMatchScore: number | null;
  readonly providerContactId: string | null;
  readonly providerFundAccountId: string | null;
  /** The newest validation, once the provider has named it. */
  readonly providerValidationId: string | null;
  /** The number of the newest validation. */
  readonly validationAttempt: number;
  /** When the provider was last asked for a validation, or about the open one. */
  readonly validationRequestedAt: Date | null;
  readonly deletedAt: Date | null;
  readonly createdAt: Date;
}

/** What banking needs to know of a customer. */
export interface BankCustomer {
  /** E.164. */
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
   * Whether money is on its way to the account: a sell in progress that will make a payout, or a
   * payout in flight. Asked in the transaction that has the account's row locked; sells first,
   * for one that is confirmed in between then shows as its payout.
   */
  readonly isAccountInUse: (db: Db, bankAccountId: string) => Promise<boolean>;
}

/** Whether an account may be paid to. */
export interface AccountStanding {
  readonly userId: string;
  readonly isUsable: boolean;
}

/** What became of a validation's news. */
export type ValidationEffect = 'APPLIED' | 'IGNORED' | 'UNMATCHED';

export interface Banking {
  readonly customerRoutes: Route[];
  readonly jobs: TaskList;
  readonly sweeps: readonly Sweep[];
  /**
   * What the provider says of a validation, by an event or when asked; in the caller's
   * transaction, which has locked no holding, account or payout yet.
   */
  applyValidation(db: Db, validation: ProviderValidation): Promise<ValidationEffect>;
  /** Whose account a validation speaks of; undefined for one that we know nothing of. */
  ownerOfValidation(db: Db, validation: ProviderValidation): Promise<string | undefined>;
  /** Whether the account may be paid to, held so until the transaction ends. */
  lockStanding(db: Db, bankAccountId: string): Promise<AccountStanding | undefined>;
  /**
   * Where payouts to the account go at the provider: made there the first time, and kept, so that
   * every resend of an attempt names the same. Network; the account's number leaves this module
   * only for the provider.
   */
  fundAccountOf(bankAccountId: string): Promise<Outcome<FundAccount>>;
}
