import type { GoldProvider, ProviderUser } from '../../adapters/gold-provider/port.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import type { AuditEntry, Auditor } from '../audit/index.ts';
import { openFullName, openNumbers } from './kyc-sealing.ts';
import { createKycStore, type KycRow } from './kyc.store.ts';
import type { HeldGrams, KycCustomers, Notify } from './kyc.types.ts';

/** Who reviews: the head of the audit row. */
export type Reviewer = Pick<AuditEntry, 'actor' | 'requestId' | 'ip'> & {
  readonly adminId: string;
};

export interface ReviewKycOptions {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly provider: GoldProvider;
  readonly customers: KycCustomers;
  readonly heldGrams: HeldGrams;
  readonly audit: Auditor;
  readonly notify: Notify;
}

const messages = {
  APPROVED: {
    action: 'kyc.approve',
    type: 'kyc_approved',
    title: 'KYC approved',
    body: 'You can buy gold now.',
  },
  REJECTED: {
    action: 'kyc.reject',
    type: 'kyc_rejected',
    title: 'KYC rejected',
    body: 'Please read the reason and submit again.',
  },
  PENDING: {
    action: 'kyc.request-resubmit',
    type: 'kyc_resubmit',
    title: 'KYC to be submitted again',
    body: 'Please read the reason and submit again.',
  },
} as const;

const unavailable = (outcome: Outcome<unknown>): AppError =>
  new AppError('PROVIDER_UNAVAILABLE', { cause: outcome });

/** The reviewers' three moves out of SUBMITTED. */
export const createReviewKyc = (options: ReviewKycOptions) => {
  const { db, inTransaction, clock, vault, provider, customers, audit, notify } = options;

  const findSubmitted = async (id: string): Promise<KycRow> => {
    const row = await createKycStore(db).findById(id);
    if (row === undefined) throw new AppError('NOT_FOUND');
    if (row.status !== 'SUBMITTED') throw new AppError('ILLEGAL_TRANSITION');
    return row;
  };

  /** A number given out again finds its last owner's gold at the provider: never attach to it. */
  const requireOwnGold = async (userId: string, user: ProviderUser): Promise<void> => {
    if (user.goldBalanceGrams === (await options.heldGrams(db, userId))) return;
    throw new AppError('PROVIDER_MISMATCH', {
      message: 'The provider holds other gold for this phone number than we do.',
    });
  };

  /**
   * The provider's user of the customer, registered now unless it was before, and told the numbers
   * it asks for above 30 g and 50 g. Both calls are safe to repeat, so after an unknown outcome
   * the operator approves again.
   */
  const register = async (row: KycRow): Promise<string> => {
    const customer = await customers.find(db, row.userId);
    const { fullNameSealed, panSealed, aadhaarSealed, pincode } = row;
    if (
      customer === undefined ||
      fullNameSealed === null ||
      panSealed === null ||
      aadhaarSealed === null ||
      pincode === null
    ) {
      throw new AppError('ILLEGAL_TRANSITION', { message: 'The customer is no longer there.' });
    }
    const sealer = await vault.forUser(db, row.userId);
    const registered = await provider.register({
      phone: customer.phone,
      name: openFullName(sealer, fullNameSealed, row.id),
      pincode,
      ...(customer.email !== undefined && { email: customer.email }),
    });
    if (registered.kind !== 'done') throw unavailable(registered);
    const { providerUserId } = registered.value;
    if (customer.providerUserId === undefined) await requireOwnGold(row.userId, registered.value);
    const numbers = openNumbers(sealer, { id: row.id, panSealed, aadhaarSealed });
    const told = await provider.updateKyc({ providerUserId, ...numbers });
    if (told.kind !== 'done') throw unavailable(told);
    return providerUserId;
  };

  const move = async (
    row: KycRow,
    to: 'APPROVED' | 'REJECTED' | 'PENDING',
    reviewer: Reviewer,
    details: { readonly reason: string | null; readonly providerUserId?: string },
  ): Promise<KycRow> => {
    const { adminId, ...head } = reviewer;
    const { action, ...message } = messages[to];
    return inTransaction(async (tx) => {
      const store = createKycStore(tx);
      const review = { by: adminId, at: clock.now(), reason: details.reason };
      if (!(await store.review(row, to, review))) throw new AppError('ILLEGAL_TRANSITION');
      if (details.providerUserId !== undefined) {
        await customers.setProviderUserId(tx, row.userId, details.providerUserId);
      }
      await notify(tx, { userId: row.userId, ...message });
      await audit.record(tx, {
        ...head,
        action,
        target: { type: 'kyc', id: row.id },
        before: { status: 'SUBMITTED' },
        after: { status: to, ...(details.reason !== null && { reason: details.reason }) },
      });
      const moved = await store.findById(row.id);
      if (moved === undefined) throw new Error('a moved KYC record vanished');
      return moved;
    });
  };

  return {
    /**
     * Registers with the provider first; while that fails the record stays SUBMITTED.
     * @throws AppError NOT_FOUND, ILLEGAL_TRANSITION, PROVIDER_UNAVAILABLE, PROVIDER_MISMATCH.
     */
    async approve(id: string, reviewer: Reviewer): Promise<KycRow> {
      const row = await findSubmitted(id);
      const providerUserId = await register(row);
      try {
        return await move(row, 'APPROVED', reviewer, { reason: null, providerUserId });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new AppError('PROVIDER_MISMATCH', {
          message: 'The provider knows this phone number as another customer of ours.',
          cause: error,
        });
      }
    },

    /** @throws AppError NOT_FOUND, ILLEGAL_TRANSITION. */
    async reject(id: string, reviewer: Reviewer, reason: string): Promise<KycRow> {
      return move(await findSubmitted(id), 'REJECTED', reviewer, { reason });
    },

    /** Back to PENDING. @throws AppError NOT_FOUND, ILLEGAL_TRANSITION. */
    async requestResubmit(id: string, reviewer: Reviewer, reason: string): Promise<KycRow> {
      return move(await findSubmitted(id), 'PENDING', reviewer, { reason });
    },
  };
};

export type ReviewKyc = ReturnType<typeof createReviewKyc>;
