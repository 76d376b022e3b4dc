import { addMs } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { adminActor } from '../admins/index.ts';
import { requireUnclaimed, updateClaim } from './kyc-claims.store.ts';
import { findKyc, lockKycOfUser, requireKyc, type KycRow } from './kyc.store.ts';
import type { Reviewer, ReviewKycDeps } from './review-kyc.ts';

type ClaimDeps = Pick<ReviewKycDeps, 'db' | 'inTransaction' | 'wall' | 'audit'>;

/**
 * Locks a customer's record.
 * @throws AppError NOT_FOUND, and CONFLICT if another operator has claimed the record
 */
const lockUnclaimed = async (
  { wall }: ClaimDeps,
  tx: Db,
  userId: string,
  { principal }: Reviewer,
): Promise<KycRow> => {
  const locked = await lockKycOfUser(tx, userId);
  if (locked === undefined) throw new AppError('NOT_FOUND');
  await requireUnclaimed(tx, locked.id, { adminId: principal.adminId, now: wall.now() });
  return requireKyc(tx, locked.id);
};

const findRecord = async (db: Db, id: string): Promise<KycRow> => {
  const row = await findKyc(db, id);
  if (row === undefined) throw new AppError('NOT_FOUND');
  return row;
};

/**
 * The time in ms for which an operator's claim excludes other operators. A repeated claim restarts
 * it.
 */
const claimMs = 15 * 60_000;

/**
 * Claims a submission that waits for a decision. No other operator can decide it until the claim
 * expires or is released.
 * @throws AppError NOT_FOUND, CONFLICT if another operator has claimed the record, and
 *   ILLEGAL_TRANSITION if the record does not wait for a decision
 */
export const claimKyc = async (
  deps: ClaimDeps,
  id: string,
  reviewer: Reviewer,
): Promise<KycRow> => {
  const { db, inTransaction, wall, audit } = deps;
  const { userId } = await findRecord(db, id);
  return inTransaction(async (tx) => {
    const { status } = await lockUnclaimed(deps, tx, userId, reviewer);
    if (status !== 'SUBMITTED') throw new AppError('ILLEGAL_TRANSITION', { details: { status } });
    const until = addMs(wall.now(), claimMs);
    await updateClaim(tx, id, { adminId: reviewer.principal.adminId, until });
    await audit.record(tx, {
      ...adminActor(reviewer.principal, reviewer.context),
      action: 'kyc.claim',
      target: { type: 'kyc', id },
      after: { until: until.toISOString() },
    });
    return requireKyc(tx, id);
  });
};

/**
 * Releases the caller's claim. An expired or missing claim is not an error.
 * @throws AppError NOT_FOUND, and CONFLICT if another operator has claimed the record
 */
export const releaseKyc = async (
  deps: ClaimDeps,
  id: string,
  reviewer: Reviewer,
): Promise<KycRow> => {
  const { db, inTransaction, audit } = deps;
  const { userId } = await findRecord(db, id);
  return inTransaction(async (tx) => {
    const { claimedBy } = await lockUnclaimed(deps, tx, userId, reviewer);
    await updateClaim(tx, id, undefined);
    await audit.record(tx, {
      ...adminActor(reviewer.principal, reviewer.context),
      action: 'kyc.release',
      target: { type: 'kyc', id },
      before: { claimedBy },
      after: { claimedBy: null },
    });
    return requireKyc(tx, id);
  });
};
