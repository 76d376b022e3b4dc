import { AppError } from '../../platform/errors/app-error.ts';
import { adminActor } from '../admins/index.ts';
import { findUser, isStillCustomer } from '../identity/index.ts';
import { sealReason } from './kyc-sealing.ts';
import { transitionKyc } from './kyc.states.ts';
import { lockKycOfUser, requireKyc, markForReverification, type KycRow } from './kyc.store.ts';
import type { Reviewer, ReviewKycDeps } from './review-kyc.ts';

const action = 'kyc.force-reverify';

const message = {
  type: 'kyc_resubmit',
  title: 'Please verify your identity again',
  body:
    'We need to verify your identity again. Until you have submitted your KYC and we have approved ' +
    'it, you cannot buy or sell gold. Your gold stays in your account.',
} as const;

/**
 * Returns a customer's KYC to PENDING from any other state. The customer can't trade until a new
 * submission is approved, and another account may use the PAN and the Aadhaar (contract: states > KYC).
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if KYC is PENDING or the account was deleted
 */
export const forceReverify = async (
  { db, inTransaction, clock, vault, audit, notify, logger }: ReviewKycDeps,
  userId: string,
  { principal, context }: Reviewer,
  reason: string | undefined,
): Promise<KycRow> => {
  if ((await findUser(db, userId)) === undefined) throw new AppError('NOT_FOUND');
  return inTransaction(async (tx) => {
    if (!(await isStillCustomer(tx, userId))) {
      throw new AppError('ILLEGAL_TRANSITION', { message: 'This account was deleted.' });
    }
    const record = await lockKycOfUser(tx, userId);
    if (record === undefined || record.status === 'PENDING') {
      throw new AppError('ILLEGAL_TRANSITION', { details: { status: 'PENDING' } });
    }
    const { id, status: from } = record;
    const now = clock.now();
    const reasonSealed =
      reason === undefined ? null : sealReason(await vault.forUser(tx, userId), reason, id);
    await transitionKyc({ logger }, record, {
      to: 'PENDING',
      actor: `admin:${principal.adminId}`,
      cause: action,
      update: () =>
        markForReverification(tx, { id, from }, { adminId: principal.adminId, now, reasonSealed }),
    });
    await notify(tx, { userId, ...message });
    await audit.record(tx, {
      ...adminActor(principal, context),
      action,
      target: { type: 'kyc', id },
      before: { status: from },
      after: { status: 'PENDING' },
      ...(reason !== undefined && { sealed: { after: { reason } }, sealedFor: userId }),
    });
    return requireKyc(tx, id);
  });
};
