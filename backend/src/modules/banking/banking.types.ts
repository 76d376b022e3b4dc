import type { PayoutProvider } from '../../adapters/payout-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { BlindIndex, Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import type { UseBound } from '../../platform/use-bounds/index.ts';
import type { Logger, Metrics } from '../../platform/observability/index.ts';
import type { Notify } from '../notifications/index.ts';

export const bankAccountStatuses = ['PENDING', 'VERIFIED', 'FAILED'] as const;
export type BankAccountStatus = (typeof bankAccountStatuses)[number];

export interface BankAccount {
  readonly id: string;
  readonly userId: string;
  readonly status: BankAccountStatus;
  readonly isPrimary: boolean;
  /** True if the customer asked to make the account primary. It becomes primary once it is verified. */
  readonly primaryWanted: boolean;
  readonly accountLast4: string;
  readonly ifsc: string;
  readonly numberSealed: string;
  readonly holderNameSealed: string;
  readonly nameMatchScore: number | null;
  readonly providerContactId: string | null;
  readonly providerFundAccountId: string | null;
  /** The newest validation's id at the provider, or null before the provider has returned it. */
  readonly providerValidationId: string | null;
  /** The number of the newest validation. */
  readonly validationAttempt: number;
  /**
   * The time of the last request for a validation or of the last query about an open one, or null.
   */
  readonly validationRequestedAt: Date | null;
  readonly deletedAt: Date | null;
  readonly createdAt: Date;
}

/** The contact details of a customer, which the provider stores with the bank account. */
interface BankCustomer {
  /** The phone number in E.164 format. */
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
  readonly metrics: Pick<Metrics, 'countBoundReached' | 'countCall'>;
  /** Bounds the queries at the provider that a customer can cause for one pending account. */
  readonly questions: UseBound;
  readonly findCustomer: (db: Db, userId: string) => Promise<BankCustomer | undefined>;
  /**
   * Returns true while a sale in progress will be paid to the account, or a payout to it is in flight.
   * It is called in the transaction that has locked the account. It checks sales before payouts, so
   * that a sale that is confirmed between the two checks is found as a payout.
   */
  readonly isAccountInUse: (db: Db, bankAccountId: string) => Promise<boolean>;
}

/** The effect of a validation's report on its account. */
export type ValidationEffect = 'APPLIED' | 'IGNORED' | 'UNMATCHED';
