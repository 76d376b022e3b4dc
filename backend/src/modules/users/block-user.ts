import type { Clock } from '../../platform/clock/clock.ts';
import type { Vault } from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import {
  announceSessionsEnd,
  lockUser,
  openBlockedReason,
  revokeEverySession,
  sealBlockedReason,
  updateBlock,
  type BlockState,
  type SessionsDeps,
} from '../identity/index.ts';
import type { BlockInput } from './users.schemas.ts';

export interface BlockUserDeps extends Pick<SessionsDeps, 'revocations'> {
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly audit: Auditor;
}

/** The operator who blocks a customer, and their request. */
interface Operator {
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

/**
 * Locks a customer whose block can change to `blocked`.
 * @throws AppError NOT_FOUND, ILLEGAL_TRANSITION
 */
const lockForChange = async (tx: Db, userId: string, blocked: boolean): Promise<BlockState> => {
  const user = await lockUser(tx, userId);
  if (user === undefined) throw new AppError('NOT_FOUND');
  if (user.deletedAt !== null) {
    throw new AppError('ILLEGAL_TRANSITION', {
      message: 'This account was deleted.',
      details: { blocked: user.blocked, deletedAt: user.deletedAt.toISOString() },
    });
  }
  if (user.blocked === blocked) {
    throw new AppError('ILLEGAL_TRANSITION', {
      message: blocked ? 'This customer is already blocked.' : 'This customer is not blocked.',
      details: { blocked },
    });
  }
  return user;
};

const reasonOf = (reason: string | null | undefined) =>
  reason === null || reason === undefined ? {} : { reason };

/**
 * Blocks a customer or ends the block, under the lock of their row, and writes the audit row. A
 * block ends every session and biometric token in the same transaction. The end of a block does not
 * restore them (contract: operators > Blocking a customer).
 * @throws AppError NOT_FOUND, and ILLEGAL_TRANSITION if the customer already has this state or the
 * account was deleted
 */
export const blockUser = async (
  deps: BlockUserDeps,
  userId: string,
  { principal, context }: Operator,
  { blocked, reason }: BlockInput,
): Promise<void> => {
  const { inTransaction, clock, vault, audit } = deps;
  const endedIds = await inTransaction(async (tx) => {
    const before = await lockForChange(tx, userId, blocked);
    const at = clock.now();
    const sealer = await vault.forUser(tx, userId);
    const reasonSealed =
      blocked && reason !== undefined ? sealBlockedReason(sealer, reason, userId) : null;
    await updateBlock(tx, { userId, reasonSealed, at });
    const sessionIds = blocked ? await revokeEverySession(tx, userId, 'blocked', at) : [];
    await audit.record(tx, {
      ...adminActor(principal, context),
      action: blocked ? 'user.block' : 'user.unblock',
      target: { type: 'user', id: userId },
      before: { blocked: before.blocked },
      after: { blocked, ...(blocked && { endedSessions: sessionIds.length }) },
      sealed: {
        before: reasonOf(openBlockedReason(sealer, before, userId)),
        after: reasonOf(reason),
      },
      sealedFor: userId,
    });
    return sessionIds;
  });
  await announceSessionsEnd(deps, endedIds);
};
