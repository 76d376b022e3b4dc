import type { GoldProvider, ProviderUser } from '../../adapters/gold-provider/port.ts';
import { addGrams } from '../../money/index.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import { isUniqueViolation, type Db, type InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { invariant } from '../../platform/invariant/invariant.ts';
import type { Logger } from '../../platform/observability/index.ts';
import type { Outcome } from '../../platform/outcome/outcome.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { readHolding, readHouseGrams } from '../holdings/index.ts';
import { findUser, updateProviderUserId } from '../identity/index.ts';
import { requireUnclaimed } from './kyc-claims.store.ts';
import { openFullName, openNumbers, openPincode, sealReason } from './kyc-sealing.ts';
import { transitionKyc } from './kyc.states.ts';
import { findKyc, lockKycOfUser, requireKyc, markReviewed, type KycRow } from './kyc.store.ts';
import type { Notify } from './kyc.types.ts';

export interface ReviewKycDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  /** The clock of real time, by which a claim expires. */
  readonly wall: Clock;
  readonly vault: Vault;
  readonly provider: GoldProvider;
  readonly audit: Auditor;
  readonly notify: Notify;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/** The operator who reviews a record, with the context of the request. */
export interface Reviewer {
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

/** @throws AppError ILLEGAL_TRANSITION, with the status in its details, unless it is SUBMITTED */
const requireSubmitted = ({ status }: Pick<KycRow, 'status'>): void => {
  if (status !== 'SUBMITTED') throw new AppError('ILLEGAL_TRANSITION', { details: { status } });
};

const findSubmitted = async (
  { db, wall }: ReviewKycDeps,
  id: string,
  { principal }: Reviewer,
): Promise<KycRow> => {
  const row = await findKyc(db, id);
  if (row === undefined) throw new AppError('NOT_FOUND');
  requireSubmitted(row);
  await requireUnclaimed(db, id, { adminId: principal.adminId, now: wall.now() });
  return row;
};

const unavailable = (outcome: Outcome<unknown>): AppError =>
  new AppError('PROVIDER_UNAVAILABLE', { cause: outcome });

/**
 * Requires that the provider's balance for a phone number is the customer's own gold. The provider finds
 * users by phone number, and a number may have belonged to another person before. Gold that a former
 * customer forfeited stays at the provider and belongs to the house (contract: identity-and-kyc >
 * Deletion).
 * @throws AppError PROVIDER_MISMATCH
 */
const requireOwnGold = async (db: Db, userId: string, user: ProviderUser): Promise<void> => {
  const { balance } = await readHolding(db, userId);
  const houseGrams = await readHouseGrams(db, user.providerUserId);
  if (user.goldBalanceGrams === addGrams(balance, houseGrams)) return;
  throw new AppError('PROVIDER_MISMATCH', {
    message: "The gold provider's balance for this phone number differs from ours.",
  });
};

/**
 * Registers the customer with the gold provider, and sends the PAN and the Aadhaar, which the provider
 * requires above 30 g and 50 g. Returns the provider's id of the customer. Both calls are safe to repeat,
 * so an operator can approve again after an unknown outcome.
 */
const registerCustomer = async (
  { db, vault, provider }: ReviewKycDeps,
  row: KycRow,
): Promise<string> => {
  const user = await findUser(db, row.userId);
  const { fullNameSealed, panSealed, aadhaarSealed } = row;
  if (
    user === undefined ||
    user.phone === null ||
    user.deletedAt !== null ||
    fullNameSealed === null ||
    panSealed === null ||
    aadhaarSealed === null
  ) {
    throw new AppError('ILLEGAL_TRANSITION', { message: 'This account was deleted.' });
  }
  const sealer = await vault.forUser(db, row.userId);
  const pincode = openPincode(sealer, row);
  invariant(pincode, 'a submission has a pincode');
  const registration = await provider.register({
    phone: user.phone,
    name: openFullName(sealer, fullNameSealed, row.id),
    pincode,
    ...(user.email !== null && { email: user.email }),
  });
  if (registration.kind !== 'done') throw unavailable(registration);
  const { providerUserId } = registration.value;
  if (user.providerUserId === null) await requireOwnGold(db, row.userId, registration.value);
  const numbers = openNumbers(sealer, { id: row.id, panSealed, aadhaarSealed });
  const kycUpdate = await provider.updateKyc({ providerUserId, ...numbers });
  if (kycUpdate.kind !== 'done') throw unavailable(kycUpdate);
  return providerUserId;
};

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
    body: 'Your KYC was not accepted. Please read the reason and submit it again.',
  },
  PENDING: {
    action: 'kyc.request-resubmit',
    type: 'kyc_resubmit',
    title: 'Please submit your KYC again',
    body: 'We could not complete the review. Please read the reason and submit your KYC again.',
  },
} as const;

/** Stores a decision. One transaction writes the new status, the notification and the audit row. */
const decide = (
  { inTransaction, clock, wall, vault, audit, notify, logger }: ReviewKycDeps,
  row: KycRow,
  { principal, context }: Reviewer,
  decision: {
    readonly to: 'APPROVED' | 'REJECTED' | 'PENDING';
    readonly reason: string | null;
    readonly providerUserId?: string;
  },
): Promise<KycRow> => {
  const { to, reason, providerUserId } = decision;
  const { action, ...message } = messages[to];
  return inTransaction(async (tx) => {
    const locked = await lockKycOfUser(tx, row.userId);
    // The status is checked again, because another operator may have decided in the meantime.
    if (locked !== undefined) requireSubmitted(locked);
    await requireUnclaimed(tx, row.id, { adminId: principal.adminId, now: wall.now() });
    const now = clock.now();
    const reasonSealed =
      reason === null ? null : sealReason(await vault.forUser(tx, row.userId), reason, row.id);
    await transitionKyc(
      { logger },
      { id: row.id, status: 'SUBMITTED' },
      {
        to,
        actor: `admin:${principal.adminId}`,
        cause: action,
        update: () => markReviewed(tx, row, to, { adminId: principal.adminId, now, reasonSealed }),
      },
    );
    if (providerUserId !== undefined) {
      await updateProviderUserId(tx, row.userId, providerUserId, now);
    }
    await notify(tx, { userId: row.userId, ...message });
    await audit.record(tx, {
      ...adminActor(principal, context),
      action,
      target: { type: 'kyc', id: row.id },
      before: { status: 'SUBMITTED' },
      after: { status: to },
      ...(reason !== null && { sealed: { after: { reason } }, sealedFor: row.userId }),
    });
    return requireKyc(tx, row.id);
  });
};

/**
 * Registers the customer with the gold provider, and then approves the submission. If the registration
 * fails, the record stays SUBMITTED.
 * @throws AppError NOT_FOUND, ILLEGAL_TRANSITION, CONFLICT, PROVIDER_UNAVAILABLE, PROVIDER_MISMATCH
 */
export const approveKyc = async (
  deps: ReviewKycDeps,
  id: string,
  reviewer: Reviewer,
): Promise<KycRow> => {
  const row = await findSubmitted(deps, id, reviewer);
  const providerUserId = await registerCustomer(deps, row);
  try {
    return await decide(deps, row, reviewer, { to: 'APPROVED', reason: null, providerUserId });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('PROVIDER_MISMATCH', {
      message: 'The gold provider has registered this phone number for another of our customers.',
      cause: error,
    });
  }
};

/** Rejects a submission. @throws AppError NOT_FOUND, ILLEGAL_TRANSITION, CONFLICT */
export const rejectKyc = async (
  deps: ReviewKycDeps,
  id: string,
  reviewer: Reviewer,
  reason: string,
): Promise<KycRow> =>
  decide(deps, await findSubmitted(deps, id, reviewer), reviewer, { to: 'REJECTED', reason });

/** Returns a submission to PENDING. @throws AppError NOT_FOUND, ILLEGAL_TRANSITION, CONFLICT */
export const requestResubmit = async (
  deps: ReviewKycDeps,
  id: string,
  reviewer: Reviewer,
  reason: string,
): Promise<KycRow> =>
  decide(deps, await findSubmitted(deps, id, reviewer), reviewer, { to: 'PENDING', reason });
